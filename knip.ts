import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  entry: [
    'bin/*.js',
    'scripts/*.js',
    'src/cli/main.ts',
    'bench/main.ts',
    'src/ros/*-main.ts',
    // Run by a script, from what was built.
    'bench/stop-trials/{result,run-trials,table}.ts',
    // Started by path, as a process or a thread of its own: no import leads there.
    'src/**/*-worker.ts',
    '{src,bench,tests}/**/*-process.ts',
    'tests/**/*.test.ts',
    '{src,bench}/**/*.test.ts',
  ],
  project: ['bin/**/*.js', 'scripts/**/*.{js,ts}', 'src/**/*.ts', 'bench/**/*.ts', 'tests/**/*.ts'],
  ignoreExportsUsedInFile: true,
  // An index is its folder's contract, whether or not anybody has named all of it yet. What nothing uses at all, not
  // even a test, is still found where it is written.
  ignoreIssues: { 'src/*/{index,mujoco,options}.ts': ['exports', 'types'] },
  // Parts of the operating system: one raises the tick's thread, one makes a named pipe for a test. And ROS, where it is.
  ignoreBinaries: ['chrt', 'mkfifo', 'mount', 'umount', 'colcon', 'ros2'],
};

export default config;
