import type { DebugProtocol } from '@vscode/debugprotocol';
import { CodedError, formatLocation, toReport } from '../../base/core/errors.ts';
import type { OptionErrors } from '../../backbone/node/options/runOptions.ts';

/** Numbers that clients of the Debug Adapter Protocol see. Never reuse or renumber one. */
const ids: Readonly<Record<string, number>> = {
  'debug/bad-attribute': 3001,
  'debug/missing-attribute': 3002,
  'debug/file-not-found': 3003,
  'debug/missing-api-key': 3004,
  'debug/unsupported-request': 3005,
  'debug/cannot-evaluate': 3006,
  'debug/cannot-pause': 3007,
  'debug/never-stopped': 3008,
  'debug/child-not-started': 3009,
  'debug/already-launched': 3010,
  'debug/stopped': 3011,
  'debug/internal': 3012,
  'debug/bad-answer': 3013,
  'debug/wrong-access-token': 3014,
};

/** The number for errors from other parts, such as the launcher. The text contains their own code. */
const foreignId = 3000;

const inConfiguration = 'in the launch configuration';

export const attributeErrors: OptionErrors = {
  bad: (attribute, expected, actual) =>
    new CodedError({
      code: 'debug/bad-attribute',
      message: `Launch attribute '${attribute}' must be ${expected}, but is ${actual}.`,
      hint: `Correct '${attribute}' ${inConfiguration}.`,
    }),

  missing: (attribute, because) =>
    new CodedError({
      code: 'debug/missing-attribute',
      message: `Launch attribute '${attribute}' is missing: ${because}.`,
      hint: `Add '${attribute}' ${inConfiguration}.`,
    }),

  fileNotFound: (attribute, file) =>
    new CodedError({
      code: 'debug/file-not-found',
      message: `Launch attribute '${attribute}' names a path that does not exist: ${file}.`,
      hint: `Correct '${attribute}' ${inConfiguration}, or create the file.`,
    }),

  missingApiKey: (attribute, variable) =>
    new CodedError({
      code: 'debug/missing-api-key',
      message: `Launch attribute '${attribute}' names the environment variable ${variable}, which is not set.`,
      hint: `Set ${variable} in the environment or in 'envFile', or remove 'apiKeyEnv' and save the key with "AgentJet: Set API Key".`,
    }),
};

export const debugErrors = {
  unsupportedRequest: (command: string) =>
    new CodedError({
      code: 'debug/unsupported-request',
      message: `The AgentJet debugger does not support the request '${command}'.`,
      hint: 'Select the session of the JavaScript debugger below it.',
    }),

  cannotEvaluate: () =>
    new CodedError({
      code: 'debug/cannot-evaluate',
      message: 'The AgentJet session cannot evaluate expressions.',
      hint: 'Stop at a breakpoint of the workflow and select the session of the JavaScript debugger.',
    }),

  wrongAccessToken: () =>
    new CodedError({
      code: 'debug/wrong-access-token',
      message: "Launch attribute 'accessToken' is not the token of this debug adapter.",
      hint: 'Set it to the token that the adapter printed at its start, or to AGENTJET_ADAPTER_TOKEN of its environment.',
    }),

  badAnswer: () =>
    new CodedError({
      code: 'debug/bad-answer',
      message: 'An answer must have the `id` of its LLM call and a `text`.',
      hint: 'Add both to the request.',
    }),

  cannotPause: () =>
    new CodedError({
      code: 'debug/cannot-pause',
      message: 'The AgentJet session cannot pause an episode.',
      hint: 'Select the session of the JavaScript debugger below it and pause there.',
    }),

  neverStopped: (command: string) =>
    new CodedError({
      code: 'debug/never-stopped',
      message: `The AgentJet session never stops, so it cannot respond to '${command}'.`,
      hint: 'Select the session of the JavaScript debugger below it.',
    }),

  childNotStarted: (reason: string) =>
    new CodedError({
      code: 'debug/child-not-started',
      message: `The JavaScript debugger could not be started: ${reason}.`,
      hint: 'Check that the built-in extension "JavaScript Debugger" is enabled, or run without debugging.',
    }),

  alreadyLaunched: () =>
    new CodedError({
      code: 'debug/already-launched',
      message: 'This session has already started its run.',
      hint: 'Start a new session for another run.',
    }),

  stopped: () => new CodedError({ code: 'debug/stopped', message: 'The run was stopped before it started.' }),
};

/** A failure as a DAP error response carries it: one line, with where it is, what to do, and its code. */
export function toDapMessage(error: unknown, { showUser }: { showUser: boolean }): DebugProtocol.Message {
  const report = toReport(error, 'debug/internal');
  const where = report.location ? `${formatLocation(report.location)}: ` : '';
  const hint = report.hint === undefined ? '' : ` ${report.hint}`;
  return {
    id: ids[report.code] ?? foreignId,
    // A variable, because braces in a format would be taken for one.
    format: '{_text}',
    variables: { _text: `${where}${report.message}${hint} [${report.code}]` },
    showUser,
  };
}
