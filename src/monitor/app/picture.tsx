/** 3-D picture of the robot on the page, with the legend of its colours and a switch for the safety chain's capsules. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DrawnScene } from '../../plant/mujoco.ts';
import { type Pose, RobotView } from './robot-view.ts';
import { readJson, run } from './stream.ts';

/** The robot's visual shapes, fetched once; null if it has none. */
const shapes = signal<DrawnScene | null | undefined>(undefined);
const showsCapsules = signal(false);

async function askForShapes(): Promise<void> {
  if (shapes.peek() === undefined) shapes.value = (await readJson<DrawnScene>('/api/scene')) ?? null;
}

interface PictureProps {
  /** Pose shown, updated at the screen's rate. */
  readonly frame: ReadonlySignal<Pose | undefined>;
  /** [k][3] from the base to the tool point, m; drawn if the browser has no 3-D. */
  readonly joints?: readonly (readonly number[])[] | undefined;
}

export function Picture({ frame, joints }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<RobotView | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [count, setCount] = useState(0);
  const shown = run.value;
  useEffect(() => {
    void askForShapes();
    if (canvas.current === null || shown === undefined) return undefined;
    let made: RobotView;
    try {
      made = new RobotView(canvas.current, shown);
    } catch (error) {
      setProblem((error as Error).message);
      return undefined;
    }
    view.current = made;
    setCount(shapes.value == null ? 0 : made.take(shapes.value));
    made.showsCapsules = showsCapsules.value || shapes.value == null;
    let request = 0;
    const draw = (): void => {
      const pose = frame.peek();
      if (pose !== undefined) made.draw(pose);
      request = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(request);
      made.close();
      view.current = undefined;
    };
  }, [shown?.runId, shown?.objects.join(), shapes.value, frame]);
  useEffect(() => {
    if (view.current !== undefined) view.current.showsCapsules = showsCapsules.value || shapes.value == null;
  }, [showsCapsules.value]);
  if (problem !== '') return <Flat problem={problem} joints={joints} />;
  return (
    <section class="scene" aria-label="Robot">
      <canvas ref={canvas} data-shapes={count} aria-label="The robot in 3-D: drag to turn, wheel to zoom" />
      <p class="legend">
        <span class={count === 0 ? 'solid' : ''}>{count === 0 ? 'measured' : 'measured, in its own colours;'}</span>{' '}
        <span class="pale">reference</span>{' '}
        {count === 0 ? null : (
          <label>
            <input
              type="checkbox"
              id="capsules"
              checked={showsCapsules.value}
              onChange={(event) => {
                showsCapsules.value = event.currentTarget.checked;
                event.currentTarget.blur();
              }}
            />{' '}
            what the safety chain sees
          </label>
        )}
      </p>
    </section>
  );
}

/** Half the width of a drawing, m. */
const REACH_M = 1;
const SIDES = [
  { name: 'from the side', up: 2 },
  { name: 'from above', up: 1 },
] as const;

/** Fallback without WebGL: the arm's joints as lines, x to the right. */
function Flat({ problem, joints }: { readonly problem: string; readonly joints: PictureProps['joints'] }) {
  return (
    <section class="scene flat" aria-label="Robot">
      <p class="empty" title={problem}>
        This browser draws no 3-D (WebGL).{' '}
        {joints === undefined ? 'All else of the page works.' : 'The arm as lines, with its tool as a dot:'}
      </p>
      {joints === undefined ? null : (
        <div class="sides">
          {SIDES.map(({ name, up }) => (
            <figure key={name}>
              <svg
                viewBox={`${-REACH_M} ${-REACH_M} ${2 * REACH_M} ${2 * REACH_M}`}
                role="img"
                aria-label={`The arm ${name}`}
              >
                <polyline points={joints.map((at) => `${at[0]},${-at[up]!}`).join(' ')} />
                <circle cx={joints.at(-1)?.[0]} cy={-(joints.at(-1)?.[up] ?? 0)} r={0.03} />
              </svg>
              <figcaption>{name}</figcaption>
            </figure>
          ))}
        </div>
      )}
    </section>
  );
}
