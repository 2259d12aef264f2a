/** The metric that every trained network has: how long its gradient was, before clipping. */

const SUFFIX = 'GradientNorm';

/** Name of the metric of `network`; `cost_critic` gives `costCriticGradientNorm`. */
export function gradientNormName(network: string): string {
  return `${network.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}${SUFFIX}`;
}

/** Whether the metric `name` is one. */
export function isGradientNorm(name: string): boolean {
  return name.endsWith(SUFFIX);
}
