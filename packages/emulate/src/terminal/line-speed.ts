/**
 * Baud rate that the host has set on a pseudo-terminal, whose ends communicate at any rate. Node cannot query it (`ioctl` TCGETS2): a small
 * child process answers within some 0.1 ms over two named pipes, so that this thread may block on it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
/** Programs that answer each byte of their input with the output speed of descriptor 3: the last of the 44 bytes of `struct termios2`. */
const ANSWERERS: readonly (readonly [program: string, ...args: string[]])[] = [
  [
    'perl',
    '-e',
    'open(my $s, "+<&=3") or die $!; my $b; while (sysread(STDIN, $b, 1)) { my $t = "\\0" x 64; ioctl($s, 0x802C542A, $t); syswrite(STDOUT, substr($t, 40, 4)) }',
  ],
  [
    'python3',
    '-c',
    'import fcntl, os\nwhile os.read(0, 1):\n  os.write(1, fcntl.ioctl(3, 0x802C542A, bytes(64))[40:44])',
  ],
];

export class LineSpeed {
  readonly #child: ChildProcess;
  readonly #askFd: number;
  readonly #answerFd: number;
  readonly #answer: Uint8Array = new Uint8Array(4);
  #isOpen = true;

  /** Opens the query for the port at `path`; `undefined` if no program supports it, and any baud rate then counts as right. */
  static open(path: string): LineSpeed | undefined {
    const program = ANSWERERS.find(([name]) => spawnSync(name, ['-V'], { stdio: 'ignore' }).error === undefined);
    if (program === undefined) return undefined;
    const speed = new LineSpeed(path, program);
    // The first answer takes as long as the program takes to start.
    speed.ask();
    return speed;
  }

  private constructor(path: string, [program, ...args]: (typeof ANSWERERS)[number]) {
    const folder = mkdtempSync(join(tmpdir(), 'rein-emulate-'));
    try {
      const ask = pipeIn(folder, 'ask');
      const answer = pipeIn(folder, 'answer');
      const portFd = openSync(path, O_RDWR | constants.O_NOCTTY | O_NONBLOCK);
      this.#child = spawn(program, args, { stdio: [ask.readFd, answer.writeFd, 'ignore', portFd] });
      this.#child.on('error', () => undefined);
      this.#child.unref();
      for (const fd of [ask.readFd, answer.writeFd, portFd]) closeSync(fd);
      this.#askFd = ask.writeFd;
      this.#answerFd = answer.readFd;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Returns the baud rate; `undefined` once the child has exited. */
  ask(): number | undefined {
    if (!this.#isOpen) return undefined;
    try {
      writeSync(this.#askFd, Uint8Array.of(0));
      if (readSync(this.#answerFd, this.#answer, 0, 4, null) === 4) {
        return new DataView(this.#answer.buffer).getUint32(0, true);
      }
    } catch (error) {
      // The child is gone.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
    this.close();
    return undefined;
  }

  /** Idempotent. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // The child exits at the end of its input.
    closeSync(this.#askFd);
    closeSync(this.#answerFd);
  }
}

/** Opens both ends of a new named pipe, blocking; either end sees the close of the other once no process holds that. */
function pipeIn(folder: string, name: string): { readonly readFd: number; readonly writeFd: number } {
  const path = join(folder, name);
  spawnSync('mkfifo', [path]);
  // Neither end opens without the other: a third descriptor holds both open for a moment.
  const bothFd = openSync(path, O_RDWR);
  const readFd = openSync(path, O_RDONLY);
  const writeFd = openSync(path, O_WRONLY);
  closeSync(bothFd);
  return { readFd, writeFd };
}
