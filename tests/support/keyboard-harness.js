/**
 * A small program at a terminal: prints what the keyboard asks for whenever that changes. Its clock stands until `+` is typed,
 * which moves it by 0.1 s: a busy machine makes no key late.
 */
import { KeyboardTeleop } from '../../dist/teleop/index.js';

let typedS = 0;
// In the order in which it was typed, however much of it comes at once.
const emit = process.stdin.emit.bind(process.stdin);
process.stdin.emit = (event, ...values) => {
  if (event !== 'data') return emit(event, ...values);
  for (const piece of values[0].toString('latin1').split(/(?<=\+)/)) {
    emit('data', Buffer.from(piece, 'latin1'));
    if (!piece.endsWith('+')) continue;
    typedS += 0.1;
    print();
  }
  return true;
};

const keyboard = new KeyboardTeleop({
  input: process.stdin,
  clock: { nowS: () => typedS },
  action: { kind: 'cartesian', dimensions: ['x', 'y', 'z', 'yaw'].map((name) => ({ name, scale: 0.002, unit: 'm' })) },
  onMark: (outcome) => console.log(`marked ${outcome}`),
  onHelp: (help) => console.log(help),
});

if (process.argv[2] !== 'no-handler') {
  process.on('SIGINT', () => {
    keyboard.close();
    console.log('interrupted');
    clearInterval(timer);
  });
}
if (process.argv[2] === 'throw') {
  setTimeout(() => {
    throw new Error('as intended');
  }, 200);
}

const command = { active: false, action: new Float32Array(4), phase: 'correct' };
let last = '';
const timer = setInterval(print, 20);
console.log('ready');

function print() {
  keyboard.poll(new Float32Array(0), 0, command);
  const who = !command.active ? 'policy' : keyboard.isStopRequested ? 'stop' : command.phase;
  const line = `[${who} ${Array.from(command.action, (v) => v.toFixed(1)).join(' ')}]`;
  if (line !== last) console.log(line);
  last = line;
}
