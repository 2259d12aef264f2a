import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  entry: [
    'bin/*.js',
    'scripts/*.js',
    'src/cli/main.ts',
    // Started by path, as a process or a thread of its own: no import leads there.
    'src/**/*-worker.ts',
    'src/**/*-process.ts',
    'src/**/*-main.ts',
    'tests/**/*.test.ts',
    'src/**/*.test.ts',
  ],
  project: ['bin/**/*.js', 'scripts/**/*.js', 'src/**/*.ts', 'tests/**/*.ts'],
  ignoreExportsUsedInFile: true,
  // Parts of the operating system: one raises the tick's thread, one makes a named pipe for a test.
  ignoreBinaries: ['chrt', 'mkfifo'],
};

export default config;
