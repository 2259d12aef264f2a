/** Body of `rein watch`: one ssh that forwards a port, and the browser address once the monitor answers through it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { howEnded } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';
import type { WatchOptions } from '../watch.ts';
import { INTERRUPTED, interruptibly } from './interrupt.ts';

const PORTS_TRIED = 20;
const LOOK_MS = 250;
/** Line that ssh prints for each connection to a port on which nothing listens. */
const NOBODY_LISTENS = /^channel \d+: open failed/;
/** No problem is reported before ssh ends or this time is over, ms: passwords and passphrases are typed meanwhile. */
const QUIET_MS = 30_000;

/** Resolves to the exit code: 130 after Ctrl+C. Rejects with `ReinError` if ssh ends. */
export async function watchBody({ robot, port, localPort }: WatchOptions): Promise<number> {
  const local = await freePort(localPort ?? port, localPort === undefined ? PORTS_TRIED : 1);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  return interruptibly(say, 'the ssh tunnel to the robot is closed', async ({ signal }) => {
    const way = ['-L', `127.0.0.1:${local}:127.0.0.1:${port}`];
    const alive = ['-o', 'ServerAliveInterval=2', '-o', 'ServerAliveCountMax=3'];
    const ssh = spawn('ssh', ['-N', '-T', '-o', 'ExitOnForwardFailure=yes', ...alive, ...way, '--', robot], {
      // ssh asks for passwords at the terminal itself.
      stdio: ['inherit', 'inherit', 'pipe'],
      signal,
    });
    const nobody = new NobodyThere({ robot, port }, say);
    createInterface({ input: ssh.stderr }).on('line', (line) => {
      if (NOBODY_LISTENS.test(line)) nobody.tell();
      else process.stderr.write(`${line}\n`);
    });
    const ended = once(ssh, 'exit').then(
      ([code, name]) => howEnded(code, name),
      (error: NodeJS.ErrnoException) => error,
    );
    const over = new AbortController();
    void ended.then(() => over.abort());
    await tellWhenThere(`http://127.0.0.1:${local}/`, nobody, over.signal, say);
    const how = await ended;
    if (signal.aborted) return INTERRUPTED;
    if (how instanceof Error) {
      throw new ReinError('environment', `ssh cannot be started: ${how.message}.`, {
        remedy: 'Install it: apt install openssh-client',
      });
    }
    throw new ReinError('link', `The ssh tunnel to ${robot} has ended (ssh: ${how}).`, {
      remedy: `The lines above show why; try it alone: ssh ${robot} true`,
    });
  });
}

/** Reports once that no monitor answers, until one does. */
class NobodyThere {
  readonly #where: { readonly robot: string; readonly port: number };
  readonly #say: (line: string) => void;
  #isTold = false;

  constructor(where: { readonly robot: string; readonly port: number }, say: (line: string) => void) {
    this.#where = where;
    this.#say = say;
  }

  tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { robot, port } = this.#where;
    this.#say(
      `No monitor answers on ${robot} at port ${port} yet: start rein run there, or give the port that it prints (--port).`,
    );
  }

  /** Called when a monitor answers. */
  forget(): void {
    this.#isTold = false;
  }
}

/** Prints the address once a monitor answers there, and a likely cause if none does for long. Never rejects. */
async function tellWhenThere(
  address: string,
  nobody: NobodyThere,
  over: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const startedMs = performance.now();
  while (!over.aborted) {
    const isThere = await fetch(address, { signal: over }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isThere) {
      say(`monitor: ${address}`);
      nobody.forget();
      return;
    }
    if (performance.now() - startedMs > QUIET_MS) nobody.tell();
    await delay(LOOK_MS, undefined, { signal: over }).catch(() => undefined);
  }
}

/** First free port of this machine from `first` on. Throws `ReinError('environment')`. */
async function freePort(first: number, tries: number): Promise<number> {
  for (let port = first; port < first + tries && port <= 65_535; port++) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
  throw new ReinError('environment', `Port ${first} of this machine is in use.`, {
    remedy: 'Give another one: --local-port N.',
  });
}
