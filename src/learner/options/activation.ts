/** What a hidden layer can do to its numbers after its linear part: the names that a configuration chooses from. */
export const ACTIVATIONS = ['relu', 'gelu', 'silu', 'tanh'] as const;

/** An activation by name: ReLU, GELU, SiLU or tanh. */
export type Activation = (typeof ACTIVATIONS)[number];
