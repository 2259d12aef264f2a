export { replaceFile, replaceFileSync } from './replace-file.ts';
