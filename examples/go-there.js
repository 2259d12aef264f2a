/** A policy of your own: anything that turns an observation into an action. It runs in the node, never in the guard. */
import { definePolicy } from 'rein';
import { stepTowards } from './inverse-kinematics.js';

export default definePolicy({
  name: 'go there',
  open: ({ observation, action }) => ({
    observationSize: observation.fields.reduce((sum, { size }) => sum + size, 0),
    actionSize: action.dimensions.length,
    version: 1,
    decide: async (seen, _noise, out) => stepTowards(seen, out),
    close: async () => undefined,
  }),
});
