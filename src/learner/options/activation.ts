/** Names of the activations of hidden layers that a configuration can choose. */
export const ACTIVATIONS = ['relu', 'gelu', 'silu', 'tanh'] as const;

/** An activation by name: ReLU, GELU, SiLU or tanh. */
export type Activation = (typeof ACTIVATIONS)[number];
