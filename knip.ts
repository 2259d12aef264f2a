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
  // Part of the operating system; raises the tick's thread.
  ignoreBinaries: ['chrt'],
};

export default config;
