export { INSERT_BASE, InsertDemonstrator, InsertOverseer } from './insert-demonstrator.ts';
export { InsertEnvironment } from './insert-environment.ts';
