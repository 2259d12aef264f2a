export { ContactPush } from './contact-push.ts';
export { ContactPushDemonstrator } from './contact-push-demonstrator.ts';
