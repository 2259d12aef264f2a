/**
 * Who may import whom:
 *
 *   core ← { safety, drivers, policy, teleop, learner, tasks } ← runtime ← { ros, monitor } ← cli
 *
 * The six in braces never import each other: they meet in runtime. `tests/arch` sees every rule bite.
 */

const siblings = 'safety|drivers|policy|teleop|learner|tasks';
const test = '\\.test\\.ts$';

/** Heavy or native packages, each with the only places that may import it. */
const homes = {
  '@mujoco/mujoco': ['src/drivers/mujoco/'],
  'onnxruntime-node': ['src/policy/onnx/', 'src/learner/engine/'],
  zeromq: ['src/link/'],
  serialport: ['src/drivers/serial/'],
  rclnodejs: ['src/ros/rclnodejs/'],
  pino: ['src/record/log\\.ts$'],
  rxjs: ['src/teleop/', 'src/runtime/events\\.ts$', 'src/monitor/'],
  yaml: ['src/config/'],
  zod: ['src/config/'],
  commander: ['src/cli/'],
};

/** A package by its folder, or by its bare name where it is not installed (rclnodejs without ROS). */
function packagePath(name) {
  return `(^|node_modules/)${name}(/|$)`;
}

const homeRules = Object.entries(homes).map(([name, places]) => ({
  name: `home-of-${name.replace(/^@[^/]+\//, '')}`,
  comment: `${name} is imported in ${places.join(' and ')} only, so that it can be replaced, and loaded late, in one place.`,
  severity: 'error',
  from: { path: '^src/', pathNot: places.map((place) => `^${place}`) },
  to: { path: packagePath(name) },
}));

/**
 * Files of an inner folder are its own affair: from outside, import its index.ts. An outer index.ts may pass on
 * what an inner folder holds. One rule a depth of importer.
 */
const indexRules = [1, 2, 3].map((depth) => {
  const own = Array.from({ length: depth }, (_, i) => `$${i + 1}`);
  const ownFolders = own.map((_, i) => `^src/${own.slice(0, i + 1).join('/')}/[^/]+$`);
  return {
    name: `index-only-from-depth-${depth}`,
    comment: 'A folder is imported through its index.ts; its other files may change without a word.',
    severity: 'error',
    from: { path: `^src/${'([^/]+)/'.repeat(depth)}[^/]+$`, pathNot: [test, '/index\\.ts$'] },
    to: { path: '^src/', pathNot: [...ownFolders, '/index\\.ts$', '\\.contract\\.ts$'] },
  };
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one concept, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-imports-nothing-of-src',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    {
      name: 'siblings-import-core-only',
      comment: 'Safety, drivers, policy, teleop, learner and tasks meet in runtime, never directly.',
      severity: 'error',
      from: { path: `^src/(${siblings})/` },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/$1/'] },
    },
    {
      name: 'runtime-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^src/session/' },
      to: { path: '^src/(ros|monitor|cli)/' },
    },
    {
      name: 'ros-and-monitor-apart',
      severity: 'error',
      from: { path: '^src/(ros|monitor)/' },
      to: { path: '^src/(ros|monitor|cli)/', pathNot: '^src/$1/' },
    },
    {
      name: 'core-and-safety-import-no-package',
      comment: 'What decides about motion is small enough to be read whole.',
      severity: 'error',
      from: { path: '^src/(core|safety)/', pathNot: test },
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
      name: 'core-does-no-io',
      comment: 'But for core/files: policies, learners and logs all replace files, and only core lies below them.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: [test, '^src/core/files/'] },
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
      from: { path: '^src/runtime/guard/guard-(process|worker)\\.ts$' },
      to: { path: ['onnxruntime-node', 'zeromq', 'rclnodejs'].map(packagePath).join('|'), reachable: true },
    },
    {
      name: 'no-development-packages-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: [test, '\\.contract\\.ts$'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'src-does-not-import-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: test },
      to: { path: '(^tests/|\\.test\\.ts$)' },
    },
    {
      name: 'nothing-unresolvable',
      comment: 'rclnodejs is absent where no ROS 2 is installed, by design.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: '^rclnodejs$' },
    },
    ...indexRules,
    {
      name: 'index-passes-on-its-own',
      severity: 'error',
      from: { path: '^src/([^/]+)/.*index\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/$1/', '/index\\.ts$'] },
    },
    ...homeRules,
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
