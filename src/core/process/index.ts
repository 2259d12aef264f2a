export { refuseDebugger } from './no-debugger.ts';
