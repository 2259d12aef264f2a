/** Figures of the live view: who is in control, distance to limits, activity of the safety chain and its reasons. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type FrameView, stateName } from '../../rows/portable.ts';
import { heldText } from '../page/shown-state.ts';
import { Pixels, samplesOf } from './pixels.tsx';
import { Plot } from './plot.tsx';
import { glance, hearFrames, interventions, isDriver, operators, pictures, run, session, status } from './stream.ts';
import { many, whole } from './times.ts';

export function Figures() {
  const shown = glance.value;
  const told = status.value;
  const who = operators.value;
  if (shown === undefined || told === undefined) return null;
  const { policy, link, success } = told;
  const newest = policy.learnerVersion > policy.version ? `, the learner has ${policy.learnerVersion}` : '';
  return (
    <ul class="cards figures" aria-label="Figures">
      <InControl />
      <Figure label="tool" value={point(shown)} note="mm, base frame" />
      <Figure label="force" value={`${(told.tool?.forceN ?? 0).toFixed(1)} N`} note="at the tool" />
      <Figure label="margin" value={`${Math.round(100 * shown.marginMin)} %`} note="to the nearest limit" />
      <Figure label="tick" value={tick(shown)} note={`${many(shown.overruns, 'overrun')} of ${whole(shown.ticks)}`} />
      <Lease shown={shown} />
      <Figure
        label="policy"
        value={policy.isAbsent ? 'none' : policy.version === 0 ? 'untrained' : `version ${policy.version}`}
        note={policy.isAbsent ? 'people alone drive' : `${age(policy.ageS)}${newest}`}
      />
      <Figure
        label="learner"
        value={session.value?.learner ?? '–'}
        note={`${many(link.pending, 'step')} waiting, ${link.lost} lost`}
      />
      {policy.isAbsent ? null : (
        <Figure
          label="success"
          value={share(success.successes, success.episodes)}
          note={`of ${many(success.episodes, 'episode')} without help, at the last measurement`}
        />
      )}
      <Figure label="pages" value={String(who?.pages ?? 0)} note="open" />
    </ul>
  );
}

/** "you" is shown only on the page of the operator who drives. */
function InControl() {
  const last = interventions.value.at(-1);
  const { held, by, driving = 'nobody', network } = status.value?.operator ?? {};
  // This page has taken over, and the robot waits for its first motion.
  const isAwaited = driving === 'nobody' && network !== undefined && operators.value?.isYours === true;
  if (held === undefined && isAwaited)
    return <Figure label="in control" value="you" note="it waits for you to move it" />;
  if (held !== undefined) return <Figure label="in control" value="nobody" note={heldText(held)} />;
  const name = isDriver.value ? 'you' : by === undefined ? driving : by.person || 'a person';
  return (
    <Figure label="in control" value={name} note={by?.operator ?? (last?.isActive === true ? last.operator : '')} />
  );
}

/** Remaining validity of the newest command, after which the guard brakes and holds. */
function Lease({ shown: { leaseS, leaseLeftS } }: { readonly shown: FrameView }) {
  const isValid = leaseLeftS > 0;
  const value = isValid ? `${Math.round(1e3 * leaseLeftS)} ms left` : 'no command';
  const network = status.value?.operator.network;
  const delay =
    network === undefined ? '' : `; network ${Math.round(network.ageMs)} ms of ${Math.round(network.leaseMs)}`;
  const note = isValid ? `of ${Math.round(1e3 * leaseS)} ms` : 'none is valid now';
  return <Figure label="lease" value={value} note={`${note}${delay}`} />;
}

/** Prominent figure, in a list of class `cards`. */
export function Figure({
  label,
  value,
  note,
}: {
  readonly label: string;
  readonly value: string;
  readonly note: string;
}) {
  return (
    <li>
      <span class="label">{label}</span>
      <strong>{value}</strong>
      <span class="note">{note}</span>
    </li>
  );
}

/** Speed limit of any point of the arm; empty if only joint speeds are limited. */
function SpeedLimit() {
  const { toolSpeedMaxMPerS, reducedSpeedMPerS = 0.25 } = run.value?.robot ?? {};
  if (toolSpeedMaxMPerS === undefined) return null;
  const mode = toolSpeedMaxMPerS <= reducedSpeedMPerS ? 'Reduced speed: no' : 'No';
  return (
    <p id="tool-speed">
      {mode} point of the arm is moved faster than <b>{toolSpeedMaxMPerS} m/s</b>.
    </p>
  );
}

/** Remaining margin of each stage of the safety chain, and the reasons for its present activity. */
export function Stages() {
  const shown = glance.value;
  const stages = run.value?.stages ?? [];
  if (shown === undefined) return null;
  const acting = run.value?.reasons.filter(({ bit }) => (shown.filterBitsSince & bit) !== 0) ?? [];
  return (
    <section class="stages" aria-label="Safety chain">
      <h2>Safety chain</h2>
      <SpeedLimit />
      <p class="soft">A full bar is far from what the stage guards, an empty one at it.</p>
      <p id="acting">
        {stateName(shown).startsWith('active') && acting.length === 0 ? 'Lets the command through as it is.' : null}
        {acting.map(({ name, message }) => (
          <span key={name}>
            <b>{name}</b>: {message}{' '}
          </span>
        ))}
      </p>
      <ul>
        {stages.map((name, i) => {
          const margin = shown.stageMargins[i] ?? 1;
          return (
            <li key={name}>
              <span>{name}</span>
              <meter
                min={0}
                max={1}
                low={0.1}
                optimum={1}
                value={Math.max(0, Math.min(1, margin))}
                aria-label={`room that ${name} leaves`}
              />
              <span class="soft">{many(shown.stageTicks[i] ?? 0, 'tick')} changed</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const TANK_S = 20;
/** Ten points a second suffice for a small plot. */
const TANK_PERIOD_S = 0.1;
const tank = signal<readonly { readonly step: number; readonly value: number }[]>([]);

/** Energy tank level over the last seconds. */
export function Tank() {
  useEffect(() => hearFrames(keepTank), []);
  if (run.value?.robot.tank === undefined) return null;
  const newest = tank.value.at(-1)?.step ?? 0;
  const points = tank.value.map(({ step, value }) => ({ step: step - newest, value }));
  return (
    <div class="tank">
      <Plot
        title={`Energy tank: ${(glance.value?.tankEnergyJ ?? 0).toFixed(2)} J, ${Math.round(100 * (glance.value?.tankLevel ?? 0))} % full`}
        unit="J"
        lines={[{ label: 'content', hue: 'green', dash: 0, points }]}
        along="s ago"
      />
    </div>
  );
}

function keepTank({ sentAtS, tankEnergyJ }: FrameView): void {
  const last = tank.value.at(-1)?.step ?? Number.NEGATIVE_INFINITY;
  // The robot's clock restarts when its machine does.
  if (sentAtS < last) tank.value = [];
  else if (sentAtS - last >= TANK_PERIOD_S) {
    tank.value = [...tank.value.filter(({ step }) => step > sentAtS - TANK_S), { step: sentAtS, value: tankEnergyJ }];
  }
}

/** Newest image of each camera in the policy's observation, as the policy receives it. */
export function Cameras() {
  const cameras = run.value?.task.cameras ?? [];
  return (
    <section class={cameras.length === 0 ? 'cameras none' : 'cameras'} aria-label="Cameras">
      {cameras.length === 0 ? <p class="empty">No camera: this task observes none.</p> : null}
      {cameras.map(({ name }) => {
        const picture = pictures.value.find((each) => each.name === name);
        return (
          <figure key={name} id={`camera-${name}`}>
            <figcaption>{name}</figcaption>
            {picture === undefined ? (
              <p class="empty">It has shown nothing yet.</p>
            ) : (
              <Pixels {...samplesOf(picture)} />
            )}
          </figure>
        );
      })}
    </section>
  );
}

function tick({ tickLateMs }: FrameView): string {
  const isLockStep = run.value?.isSimulated === true && run.value.command === 'sim';
  return isLockStep ? 'lock-step' : `${tickLateMs.toFixed(1)} ms late`;
}

function point({ measuredTcp }: FrameView): string {
  return [0, 1, 2].map((k) => Math.round(1e3 * (measuredTcp[k] ?? 0))).join(', ');
}

function age(ageS: number | null): string {
  return ageS === null ? '' : `acts for ${ageS < 100 ? `${ageS.toFixed(0)} s` : `${(ageS / 60).toFixed(0)} min`}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}
