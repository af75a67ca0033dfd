/**
 * Every name that `package.json` and the code must agree on, once. A test fails when either side has one that
 * the other lacks. Launch attributes are in `src/debug/launchAttributes.ts`.
 */
export { debugType, launchAttributes, requiredAttributes } from '../debug/launchAttributes.ts';

/**
 * The debug type that `languages` and `when` belong to: F5 without a launch.json asks it, and it turns into
 * {@link debugType}. Apart, because a type whose `when` does not hold is refused wherever it is used and marked as
 * unsupported in launch.json, which is in front when it is edited.
 */
export const frontDebugType = 'agentjet-front';

export const languages = {
  config: 'yaml',
  workflow: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'],
} as const;

export const commands = {
  /** Debugs the config or workflow in front, or the one given. */
  debug: 'agentjet.debug',
  /** The same without a debugger. */
  run: 'agentjet.run',
  /** Asks for the API key of an endpoint and saves it in the editor's secret storage. */
  setApiKey: 'agentjet.setApiKey',
  /** Forgets a saved API key. */
  deleteApiKey: 'agentjet.deleteApiKey',
  /** Copies an example into a folder of the user's and opens it. */
  openExample: 'agentjet.openExample',
  /** Places the SDK's types in the workspace. */
  addTypes: 'agentjet.addTypes',
  showLog: 'agentjet.showLog',
} as const;

/** Set by `when` clauses' own words: `agentjet.activeConfig && …`. */
export const contextKeys = {
  /** The file in front is an AgentJet config. */
  activeConfig: 'agentjet.activeConfig',
  /** The file in front defines a workflow. */
  activeWorkflow: 'agentjet.activeWorkflow',
} as const;

export const settingsSection = 'agentjet';

/** Names below `agentjet.`. Scope `resource` where a folder of the workspace may differ, as for launches. */
export const settings = {
  /** string, default "": the Node.js that runs workflows. Scope `machine-overridable`. */
  runtimeExecutable: 'runtimeExecutable',
  /** `embedded` | `script` | `endpoint`, default `embedded`. Scope `resource`. */
  model: 'model',
  /** string, default "": file of a scripted model. Scope `resource`. */
  script: 'script',
  /** {baseUrl, model, apiKeyEnv?} or null, default null. Scope `resource`. */
  endpoint: 'endpoint',
  /** integer, default 1: episodes at a time under F5; 0: as the config says. Scope `resource`. */
  parallel: 'parallel',
  /** boolean, default true: Debug and Run above configs and workflows. Scope `resource`. */
  codeLens: 'codeLens',
} as const;

/** Settings that only a trusted workspace may set (`capabilities.untrustedWorkspaces.restrictedConfigurations`). */
export const restrictedSettings = [settings.runtimeExecutable, settings.script, settings.endpoint] as const;
