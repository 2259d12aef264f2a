/** The part of the `quadprog` package that tests use; it has no types of its own. */
declare module 'quadprog' {
  interface Solution {
    /** From index 1. */
    readonly solution: number[];
    /** Empty where it was solved. */
    readonly message: string;
  }
  export function solveQP(hessian: number[][], linear: number[], rows: number[][], bounds: number[]): Solution;
}
