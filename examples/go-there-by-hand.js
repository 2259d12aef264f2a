/** An operator of your own: a device in a person's hand, or, as here, a script that stands in for one. */
import { defineOperator } from 'rein';
import { stepTowards } from './inverse-kinematics.js';

/** Steps in which it lets the policy try. */
const PATIENCE = 25;

export default defineOperator({
  name: 'go there by hand',
  create: ({ role }) => {
    let step = 0;
    return {
      name: 'go there by hand',
      decidedBy: 'scripted',
      poll: (observation, _nowS, out) => {
        out.active = role === 'demonstrator' || step++ >= PATIENCE;
        out.phase = 'correct';
        if (out.active) stepTowards(observation, out.action);
      },
      reset: () => {
        step = 0;
      },
      close: () => undefined,
    };
  },
});
