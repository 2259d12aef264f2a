import { describe, expect, it } from 'vitest';
import { type EpisodeWork, workOf, workRates, workRatesText } from './work-rates.ts';

function episode(tS: number, rest: Partial<EpisodeWork> = {}): EpisodeWork {
  return { success: true, steps: 40, interventionSteps: 0, tS, ...rest };
}

describe('the rates of work', () => {
  it('are successes in an hour of the robot and the share of steps that were help', () => {
    const rates = workRates({ successes: 3, steps: 200, helpedSteps: 50, robotS: 180 });
    expect(rates).toEqual({ successesPerHour: 60, humanStepShare: 0.25 });
    expect(workRatesText(rates)).toBe(
      '60 successes an hour, resets included; 25.0 % of the steps by people or the script',
    );
  });

  it('say nothing of an hour in which no time has passed', () => {
    const rates = workRates({ successes: 3, steps: 0, helpedSteps: 0, robotS: 0 });
    expect(rates).toEqual({ humanStepShare: 0 });
    expect(workRatesText(rates)).toBe('0.0 % of the steps by people or the script');
  });

  it('count from the end of the first episode, with what lies between them', () => {
    const work = workOf([episode(100), episode(130, { interventionSteps: 10 }), episode(190, { success: false })]);
    expect(work).toEqual({ successes: 1, steps: 120, helpedSteps: 10, robotS: 90 });
  });

  it("go by the robot's own time where it is given", () => {
    const work = workOf([episode(1, { robotS: 10 }), episode(1.5, { robotS: 70 })]);
    expect(workRates(work).successesPerHour).toBe(60);
  });

  it('count no success that was cut, but its time and steps', () => {
    const work = workOf([episode(0), episode(60, { cutBy: 'the run ends' })]);
    expect(work).toEqual({ successes: 0, steps: 80, helpedSteps: 0, robotS: 60 });
  });

  it('leave out what lies between two starts of a run', () => {
    const work = workOf([episode(500), episode(560), episode(20), episode(80)]);
    expect(work).toMatchObject({ successes: 2, robotS: 120 });
  });
});
