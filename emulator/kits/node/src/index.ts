/** Starts Understudy for tests, and steers its worlds. */
export { ControlError, type Body, type Span } from "./control.js";
export type {
  Account, Delivery, Expectation, Fault, InspectedQualificationCheck, JournalEntry, JournalRequest, NewQualificationCheck, NewTenantProperty,
  NewVerification, SessionView as CredentialsSession, Settings, SettingsChange, State, TenantProperty, VerificationChange, VerificationRequest, VerificationSummary, VerificationView,
  Webhook,
} from "./openapi.js";
export type { Event, Receiver, Wanted } from "./receiver.js";
export { connect, start, type ConnectOptions, type Server, type StartOptions } from "./server.js";
export type { NodeTest, Test, VitestTest } from "./tests.js";
export type { FaultOptions, JournalFilter, Rule, World } from "./world.js";
