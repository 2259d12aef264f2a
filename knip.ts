import type { KnipConfig } from 'knip';

const PACKAGE = ['src/**/*.{js,ts}!', '!src/**/*.test.ts!'];

/**
 * Two passes (`npm run dead`). `--production` sees the product and its benches, what is marked `!`: what nothing there uses
 * is dead, whatever tests or a room's door do with it. The other pass sees everything: what not even a test uses.
 */
const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        'bin/*.js!',
        'scripts/*.js!',
        'src/cli/main.ts!',
        // What programs of others import.
        'src/index.ts!',
        'src/learner/toolkit.ts!',
        'examples/*.js!',
        'bench/main.ts!',
        // Bundled by scripts/build.js.
        'src/monitor/app/{main,charts,recordings}.tsx!',
        'src/ros/*-main.ts!',
        // Started by a path that is put together: no `new URL` leads there.
        'src/identify/identify-process.ts!',
        'src/ros/rclnodejs/self-test-process.ts!',
        'bench/stop-trials/trial-node-process.ts!',
        'bench/bus-trials/{emulator,idle}-process.ts!',
        'tests/**/*-process.ts',
        // In place of fast-check (vitest.config.ts).
        'tests/support/cases.ts',
        '{src,bench,tests}/**/*.test.ts',
      ],
      project: [
        'bin/**/*.js!',
        'scripts/**/*.{js,ts}!',
        '{src,bench}/**/*.{ts,tsx}!',
        '!{src,bench}/**/*.test.ts!',
        'tests/**/*.ts',
      ],
    },
    'packages/emulate': {
      entry: ['src/ros/sim-main.ts!', 'src/**/*.test.ts'],
      project: PACKAGE,
    },
    'packages/lab': { entry: ['src/**/*.test.ts'], project: PACKAGE },
  },
  ignoreExportsUsedInFile: true,
  // Scripts run what was built.
  compilers: {
    js: (text: string) =>
      text.replace(/'\.\.\/dist\/(bench\/)?([^']*)\.js'/g, (_, bench, path) => `'../${bench ?? 'src/'}${path}.ts'`),
  },
  // The first is named in the page's own tsconfig.json. The second is not imported: fastify's ^6.0.0 would take 6.8, whose
  // cookie wants Node 22, and an override does not reach those who install the package.
  ignoreDependencies: ['@types/webxr', 'light-my-request'],
  // Parts of the operating system: one raises the tick's thread, one makes a named pipe for a test. And ROS, where it is.
  ignoreBinaries: ['cc', 'chrt', 'flock', 'mkfifo', 'mount', 'namei', 'script', 'umount', 'colcon', 'ros2'],
};

export default config;
