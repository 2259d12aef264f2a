/** Starts a guard as its child and waits to be killed: `guard-parent.js GUARD_MODULE CONFIG`. */
import { fork } from 'node:child_process';

const [modulePath, config] = process.argv.slice(2);
const guard = fork(modulePath, [config], { stdio: 'ignore' });
guard.on('message', ({ kind }) => kind === 'ready' && process.send?.({ pid: guard.pid }));
setInterval(() => undefined, 1000);
