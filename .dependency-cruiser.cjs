/**
 * Who may import whom: a room imports rooms above it in this list, and no other; where it names `only`, these alone.
 * `tests/arch` sees every rule bite.
 */
const rooms = [
  { name: 'model' },
  { name: 'rows', only: ['model'] },
  { name: 'host', only: ['model'] },
  { name: 'onnx', only: ['model', 'rows'] },
  { name: 'schema', only: ['model', 'host'] },
  { name: 'safety', only: ['model', 'rows'] },
  { name: 'plant', only: ['model', 'rows', 'host', 'schema'] },
  { name: 'drivers', only: ['model', 'rows', 'host', 'schema', 'plant'] },
  { name: 'policy', only: ['model', 'rows', 'host', 'onnx', 'schema'] },
  { name: 'teleop', only: ['model', 'host', 'schema'] },
  { name: 'tasks', only: ['model', 'rows', 'host', 'onnx', 'schema', 'plant', 'drivers', 'policy', 'teleop'] },
  { name: 'link', only: ['model', 'rows', 'host'] },
  { name: 'record', only: ['model', 'rows', 'host'] },
  { name: 'guard', only: ['model', 'rows', 'host', 'schema', 'safety', 'drivers', 'record'] },
  { name: 'learner', only: ['model', 'rows', 'host', 'onnx', 'schema', 'link', 'record'] },
  { name: 'config' },
  { name: 'session' },
  { name: 'identify' },
  {
    name: 'bring-up',
    only: ['model', 'rows', 'host', 'schema', 'safety', 'drivers', 'link', 'record', 'guard', 'config', 'session'],
  },
  { name: 'sim' },
  { name: 'offline' },
  { name: 'robot-import', only: ['model', 'safety', 'plant', 'drivers', 'config'] },
  {
    name: 'safety-check',
    only: ['model', 'rows', 'host', 'safety', 'plant', 'drivers', 'record', 'guard', 'config', 'robot-import'],
  },
  { name: 'monitor' },
  { name: 'ros', without: ['learner', 'identify', 'sim', 'offline', 'robot-import', 'safety-check'] },
  { name: 'cli' },
];

/** Packages beside the robot's program, each with the rooms that it imports. None imports another. */
const packages = [
  { name: 'emulate', only: ['model', 'rows', 'host', 'plant', 'drivers', 'tasks', 'guard', 'config', 'ros', 'cli'] },
  {
    name: 'lab',
    only: [
      'model',
      'rows',
      'host',
      'plant',
      'drivers',
      'policy',
      'link',
      'record',
      'learner',
      'config',
      'offline',
      'monitor',
      'cli',
    ],
  },
];

/**
 * What a room is imported through from outside. Eleven rooms have further doors, which part what loads a heavy package or much else;
 * `src/learner/toolkit.ts` is what programs of others import as `rein/learner`.
 */
const doors = [
  '^src/[^/]+/index\\.ts$',
  '^src/config/(setup|study-file)\\.ts$',
  '^src/drivers/(mujoco|serial)\\.ts$',
  '^src/plant/mujoco\\.ts$',
  '^src/monitor/(charts|report|terminal|web)\\.ts$',
  '^src/(model|rows)/portable\\.ts$',
  '^src/(learner|policy)/options\\.ts$',
  '^src/learner/(image-port|toolkit)\\.ts$',
  '^src/record/(log|trace)\\.ts$',
  '^src/ros/program\\.ts$',
  '^src/safety/chain-report\\.ts$',
  '^src/session/(person-request|rollout|run-request|supervision)\\.ts$',
];
const test = '\\.test\\.ts$';

/** Heavy or native packages, each with the only places that may import it. */
const homes = {
  '@mujoco/mujoco': ['src/plant/', 'packages/lab/src/environments/'],
  'onnxruntime-node': ['src/policy/onnx/', 'src/learner/engine/'],
  zeromq: ['src/link/'],
  serialport: ['src/drivers/serial/', 'bench/serial/'],
  rclnodejs: ['src/ros/rclnodejs/'],
  pino: ['src/record/log\\.ts$'],
  yaml: ['src/config/'],
  // Beside what they configure, where a number, its default and its sentence stand once, or what messages they read.
  zod: [
    'src/schema/',
    'src/config/',
    'src/learner/options/',
    'src/policy/options\\.ts$',
    'src/tasks/',
    'src/teleop/devices/',
    'src/drivers/',
    'src/plant/',
    'src/guard/guard-config\\.ts$',
    'src/guard/guardian/guardian\\.ts$',
    'src/guard/link/messages\\.ts$',
    'src/link/messages\\.ts$',
    'src/session/(status|person-request)\\.ts$',
    'src/identify/identify-messages\\.ts$',
  ],
  'node-hid': ['src/teleop/devices/'],
  commander: ['src/cli/', 'bench/main\\.ts$'],
  '@mcap/core': ['src/record/trace/'],
  '@foxglove/schemas': ['src/record/trace/'],
  fastify: ['src/monitor/web/'],
  ws: ['src/monitor/web/', 'bench/monitor/'],
  rxjs: ['src/session/telemetry\\.ts$'],
  preact: ['src/monitor/app/'],
  three: ['src/monitor/app/'],
  uplot: ['src/monitor/app/'],
  uqr: ['src/monitor/web/'],
};

/** A package by its folder, or by its bare name where it is not installed (rclnodejs without ROS). */
function packagePath(name) {
  return `(^|node_modules/)${name}(/|$)`;
}

const homeRules = Object.entries(homes).map(([name, places]) => ({
  name: `home-of-${name.replace(/^@[^/]+\//, '')}`,
  comment: `${name} is imported in ${places.join(' and ')} only, so that it can be replaced, and loaded late, in one place.`,
  severity: 'error',
  from: { path: '^(src|packages|bench)/', pathNot: places.map((place) => `^${place}`) },
  to: { path: packagePath(name) },
}));

const roomRules = rooms.slice(0, -1).map(({ name, only, without = [] }, i) => {
  const above = rooms.slice(0, i).map((room) => room.name);
  const allowed = only ?? above.filter((room) => !without.includes(room));
  return {
    name: `room-${name}`,
    comment: `${name} imports ${allowed.length === 0 ? 'no other room' : `of rooms only ${allowed.join(', ')}`}.`,
    severity: 'error',
    from: { path: `^src/${name}/`, pathNot: test },
    to: { path: '^src/', pathNot: [name, ...allowed].map((room) => `^src/${room}/`) },
  };
});

const packageRules = packages.map(({ name, only }) => ({
  name: `package-${name}`,
  comment: `packages/${name} imports of rooms only ${only.join(', ')}, and no other package.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: test },
  to: { path: '^(src|packages)/', pathNot: [`^packages/${name}/`, ...only.map((room) => `^src/${room}/`)] },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one concept, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...roomRules,
    ...packageRules,
    {
      name: 'rooms-by-their-doors-from-packages',
      comment: 'As rooms among each other.',
      severity: 'error',
      from: { path: '^packages/', pathNot: test },
      to: { path: '^src/', pathNot: doors },
    },
    {
      name: 'robot-without-packages',
      comment: 'A robot runs where none of them is installed: a command loads its own by name, when it is called.',
      severity: 'error',
      from: { path: '^src/', pathNot: test },
      to: { path: '^packages/', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'rooms-by-their-doors',
      comment: 'A room is imported through its door; its other files may change without a word.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: test },
      to: { path: '^src/', pathNot: ['^src/$1/', ...doors] },
    },
    {
      name: 'nobody-enters-by-his-own-door',
      comment: 'Inside a room files import each other directly: a door passes on, and is loaded by nobody behind it.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/$1/index\\.ts$' },
    },
    {
      name: 'session-takes-settings-of-the-learner-only',
      comment: 'A robot runs no training: its computer may not even have the engine.',
      severity: 'error',
      from: { path: '^src/session/', pathNot: test },
      to: { path: '^src/learner/', pathNot: '^src/learner/(options|image-port)\\.ts$' },
    },
    {
      name: 'model-and-safety-import-no-package',
      comment: 'What decides about motion is small enough to be read whole.',
      severity: 'error',
      from: { path: '^src/(model|rows|host|onnx|safety)/', pathNot: test },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'safety-does-no-io',
      comment: 'The safety chain is arithmetic: no file, socket, clock or process.',
      severity: 'error',
      from: { path: '^src/safety/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'model-does-no-io',
      comment: 'Vocabulary, layouts and models are values: files, workers and other processes are `host`.',
      severity: 'error',
      from: { path: '^src/(model|rows|onnx)/', pathNot: test },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'tick-does-no-io',
      comment: 'The tick path allocates, waits and logs nothing.',
      severity: 'error',
      from: { path: '^src/guard/tick\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-optional'] },
    },
    {
      name: 'guard-loads-no-model-and-no-network',
      comment: 'The process that writes to the motors runs no learned model, opens no network port and loads no ROS.',
      severity: 'error',
      from: { path: '^src/guard/guard-(process|worker)\\.ts$' },
      to: { path: ['onnxruntime-node', 'zeromq', 'rclnodejs'].map(packagePath).join('|'), reachable: true },
    },
    {
      name: 'no-development-packages-in-the-product',
      comment: 'But for the page for browsers, which is built with what it imports.',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: [test, '^src/monitor/app/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'product-imports-no-test-and-no-bench',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: test },
      to: { path: '(^(tests|bench|scripts)/|\\.test\\.ts$)' },
    },
    {
      name: 'nothing-unresolvable',
      comment: 'rclnodejs is absent where no ROS 2 is installed, by design.',
      severity: 'error',
      from: { path: '^(src|packages)/' },
      to: { couldNotResolve: true, pathNot: '^rclnodejs$' },
    },
    {
      name: 'surface-passes-on-doors',
      comment: 'What programs of others import as `rein` names doors only, and is imported by nothing of ours.',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/', pathNot: doors },
    },
    {
      name: 'surface-is-for-others',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'surface-loads-nothing-heavy',
      comment:
        'A driver of others imports `rein` in the guard: engines and sockets come with the function that needs them.',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: {
        path: '^src/(policy|link|learner|session|sim|config|guard)/',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    ...homeRules,
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/', '^packages/[^/]+/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
