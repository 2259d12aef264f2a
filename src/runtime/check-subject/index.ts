export { loadCheckSubject } from './load-subject.ts';
export type { CheckSubject, SubjectOptions } from './subject.ts';
