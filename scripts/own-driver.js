/**
 * A robot through its simulated driver, behind the whole guard: strokes, noise and jumps of a policy, including stops. Reveals
 * driver settings that differ from the robot's file, which no test's own plant can show.
 */
import { loadRobotFile } from '../dist/config/index.js';
import { createDriver, simulatedDriver } from '../dist/drivers/index.js';
import { createActionCommand, lockStepGuard } from '../dist/guard/index.js';
import { armDriver } from '../dist/identify/open-arm.js';
import { LockStepClock, Rng } from '../dist/model/index.js';
import { springJ } from '../dist/safety-check/witness/energy-ledger.js';

/** Largest lead of joint actions, rad or m: beyond it the start guard refuses. */
const SCALE = 0.09;
const SLIDE_SCALE = 0.005;
/** An arm held by its servos may stand outside its box after a stop: for so long, then hands move it home. */
const STOOD_TICKS = 100;
/** Duration of one command, ticks. */
const STEP_TICKS = 2;
/** Duration of a policy of one kind, ticks. */
const BOUT_TICKS = 250;
/** The scene of arm6, with its hole out of the way. */
const FAR_HOLE = { objects: { hole: [0.5, 0, -1, 0] } };
/**
 * Energy taken out by dampers, and booked too high for set-points in transit, is credited to the tank once readings have shown it: that of
 * the time before a start in its first ticks.
 */
const SETTLING_TICKS = 4;
const POLICIES = ['strokes', 'bangBang', 'noise', 'drift', 'broken'];

/**
 * Runs `ticks` of robot `name`, with its tank or without (`without: ['tank']`). `violations`: of the guard's independent monitor.
 * `followed`: ticks in which commands were followed. `helped`: number of times that hands moved the arm home. `surplusJ`: the most that
 * robot and tank had more than at the start, less what the tank was topped up with; `undefined` without a tank.
 */
export async function throughDriver(name, ticks, seed, without) {
  const rng = new Rng(seed);
  const sum = {
    robot: name,
    without,
    ticks: 0,
    violations: 0,
    surplusJ: undefined,
    hasTank: false,
    followed: 0,
    helped: 0,
  };
  // A base outside its fence is carried back and restarted: its odometry begins there.
  while (sum.ticks < ticks) {
    const part = await opened(name, ticks - sum.ticks, rng, without);
    for (const key of ['ticks', 'violations', 'followed', 'helped']) sum[key] += part[key];
    if (part.surplusJ !== undefined) sum.surplusJ = Math.max(sum.surplusJ ?? -Infinity, part.surplusJ);
    sum.hasTank = part.hasTank;
  }
  return sum;
}

async function opened(name, ticks, rng, without) {
  const { driver: config, ...full } = loadRobotFile(name).robot;
  // The servos stay those of the file with a tank: only the guard runs without it.
  const model = without.includes('tank') ? { ...full, tank: undefined } : full;
  const spec = armDriver({ ...full, driver: simulatedDriver(config) });
  const driver = await createDriver(spec, { model: full });
  const facts = await driver.open();
  const periodS = 1 / model.controlHz;
  const action = {
    kind: 'joint',
    dimensions: model.joints.map((joint) => {
      const slides = joint.kind === 'prismatic' || joint.kind === 'path';
      return { name: joint.name, unit: slides ? 'm' : 'rad', scale: scaleOf(model, joint, slides) };
    }),
  };
  const clock = new LockStepClock(periodS);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts,
    model,
    action,
    policyPeriodS: STEP_TICKS * periodS,
    clock,
  });
  try {
    return await attacked(link, driver, model, ticks, rng);
  } finally {
    await link.close();
  }
}

/** A base is commanded more than permitted: nothing refuses its first step. */
function scaleOf(model, joint, slides) {
  if (model.base !== undefined) return (1.5 * joint.velocityMaxRadPerS * STEP_TICKS) / model.controlHz;
  return slides ? SLIDE_SCALE : SCALE;
}

async function attacked(link, driver, model, ticks, rng) {
  const books = new Books(driver, model);
  const command = createActionCommand(model.joints.length);
  Object.assign(command, { decider: 'policy', leaseS: 0.1 });
  let policy = POLICIES[0];
  const putHome = () =>
    link.request({
      kind: 'resetScene',
      layout: { jointsRad: model.homeRad, signals: {}, objects: {}, ...(model.name === 'arm6' && FAR_HOLE) },
    });
  if (model.name === 'arm6') await putHome();
  await link.advance(2);
  let followed = 0;
  let helped = 0;
  let stoodTicks = 0;
  let done = ticks;
  for (let tick = 0; tick < ticks; tick++) {
    if (!link.latest.state.startsWith('active') && link.latest.state !== 'stopping') {
      for (const kind of ['acknowledge', 'enable', 'activate']) await link.request({ kind });
      books.begin();
      stoodTicks++;
      if (stoodTicks === STOOD_TICKS) {
        helped++;
        if (model.base !== undefined) {
          done = tick;
          break;
        }
        await putHome();
      }
    } else stoodTicks = 0;
    if (tick % BOUT_TICKS === 0) policy = POLICIES[rng.int(POLICIES.length)];
    if (tick % STEP_TICKS === 0) {
      for (let i = 0; i < command.action.length; i++)
        command.action[i] = wanted(policy, tick / model.controlHz, i, rng);
      command.seq++;
      command.issuedAtS = link.latest.stampS;
      link.send(command);
    }
    await link.advance(1);
    if (link.latest.state.startsWith('active')) followed++;
    books.check(link.latest, 1 / model.controlHz);
  }
  const { violations } = link.latest;
  return { ticks: done, violations, surplusJ: books.surplusJ, hasTank: model.tank !== undefined, followed, helped };
}

function wanted(policy, atS, i, rng) {
  if (policy === 'strokes') return Math.sign(Math.sin(2 * Math.PI * (0.5 + (i % 3)) * atS + i));
  if (policy === 'bangBang') return rng.uniform() < 0.5 ? -1 : 1;
  if (policy === 'drift') return Math.sin(0.2 * atS + 2 * i);
  if (policy === 'broken' && rng.uniform() < 0.01) return Number.NaN;
  return rng.uniformIn(-1, 1);
}

/** Energy ledger of the simulated robot itself: a tick's energy belongs to set-points that the tank had paid for before it. */
class Books {
  surplusJ;
  #plant;
  #model;
  #startJ = Number.NaN;
  #paidJ = Number.NaN;
  #toppedUpJ = 0;
  /** Ticks since torque came on. */
  #ticks = 0;

  constructor(driver, model) {
    this.#plant = model.tank === undefined || model.base !== undefined ? undefined : driver.plant;
    this.#model = model;
  }

  /** Torque may have been off: the ledger begins with the present energy. */
  begin() {
    this.#startJ = Number.NaN;
    this.#paidJ = Number.NaN;
  }

  check(frame, periodS) {
    if (this.#plant === undefined) return;
    const storedJ = this.#storedJ();
    const heldJ = storedJ + this.#paidJ;
    const isFollowed = frame.state.startsWith('active') || frame.state === 'stopping';
    // Nothing has been paid for yet in the tick in which torque came on.
    if (isFollowed && Number.isNaN(this.#startJ) && !Number.isNaN(heldJ)) {
      this.#startJ = heldJ;
      this.#toppedUpJ = 0;
      this.#ticks = 0;
    } else if (isFollowed && !Number.isNaN(heldJ)) {
      const ownJ = heldJ - this.#toppedUpJ;
      if (++this.#ticks <= SETTLING_TICKS) this.#startJ = Math.max(this.#startJ, ownJ);
      else this.surplusJ = Math.max(this.surplusJ ?? -Infinity, ownJ - this.#startJ);
    } else this.#startJ = Number.NaN;
    this.#toppedUpJ += this.#model.tank.topUpW * periodS;
    this.#paidJ = frame.tankEnergyJ;
  }

  #storedJ() {
    const { positionRad, setPointRad } = this.#plant;
    let sumJ = this.#plant.kineticJ() + this.#plant.potentialJ();
    for (const [i, { stiffnessNmPerRad, torqueMaxNm }] of this.#model.joints.entries())
      sumJ += springJ(setPointRad[i] - positionRad[i], stiffnessNmPerRad, torqueMaxNm);
    return sumJ;
  }
}
