/**
 * A robot through the driver that it is run with in simulation, behind the whole guard: strokes, noise and jumps of a policy, stops and all. What a
 * driver sets up otherwise than the robot's file says, no plant of a test's own can show.
 */
import { loadRobotFile } from '../dist/config/index.js';
import { LockStepClock, Rng } from '../dist/core/index.js';
import { createDriver, simulatedDriver } from '../dist/drivers/index.js';
import { createActionCommand, lockStepGuard } from '../dist/guard/index.js';
import { armDriver } from '../dist/identify/open-arm.js';
import { springJ } from '../dist/safety-check/witness/energy-ledger.js';

/** Joint actions ask for at most this far ahead, rad or m: beyond it the start guard refuses. */
const SCALE = 0.09;
const SLIDE_SCALE = 0.005;
/** An arm that its servos hold may stand outside its box after a stop: as long as this, then hands move it home. */
const STOOD_TICKS = 100;
/** One command holds for so many ticks. */
const STEP_TICKS = 2;
/** A policy of one kind lasts so many ticks. */
const BOUT_TICKS = 250;
/** The scene of arm6, with its hole out of the way. */
const FAR_HOLE = { objects: { hole: [0.5, 0, -1, 0] } };
/**
 * What dampers took out, and what set-points under way were booked too high, comes back to the tank when readings have shown it: of the time
 * before a start in its first ticks.
 */
const SETTLING_TICKS = 4;
const POLICIES = ['strokes', 'bangBang', 'noise', 'drift', 'broken'];

/**
 * `ticks` of robot `name`, with its tank or without (`without: ['tank']`). `violations`: of the guard's independent monitor. `followed`: ticks in which commands were.
 * `helped`: how often hands moved the arm home.
 * `surplusJ`: the most that robot and tank had more than at the start, less what the tank was topped up with; `undefined` without a tank.
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
  // A base that stands outside its fence is carried back and started anew: where it is reckoned to be begins there.
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
  // The tank's servos stay those of its file: only the guard goes without it.
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

/** A base is asked for more than it may do: nothing refuses its first step. */
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

/** Energy by the simulated robot itself: that of a tick is of the set-points that the tank had paid for before it. */
class Books {
  surplusJ;
  #plant;
  #model;
  #startJ = Number.NaN;
  #paidJ = Number.NaN;
  #toppedUpJ = 0;
  /** Since torque came on. */
  #ticks = 0;

  constructor(driver, model) {
    this.#plant = model.tank === undefined || model.base !== undefined ? undefined : driver.plant;
    this.#model = model;
  }

  /** Torque may have been off: what is in it now is what counts. */
  begin() {
    this.#startJ = Number.NaN;
    this.#paidJ = Number.NaN;
  }

  check(frame, periodS) {
    if (this.#plant === undefined) return;
    const storedJ = this.#storedJ();
    const heldJ = storedJ + this.#paidJ;
    const isFollowed = frame.state.startsWith('active') || frame.state === 'stopping';
    // The tick that torque came on in has paid for nothing yet.
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
