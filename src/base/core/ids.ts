/**
 * Every name that `package.json` and the code must agree on, once. A test fails when either side has one that
 * the other lacks. Launch attributes are in `src/backbone/node/options/runOptions.ts`.
 */
export const debugType = 'agentjet';

/**
 * The debug type that `languages` and `when` belong to: F5 without a launch.json asks it, and it turns into
 * {@link debugType}. Apart, because a type whose `when` does not hold is refused wherever it is used and marked as
 * unsupported in launch.json, which is in front when it is edited.
 */
export const activeFileDebugType = 'agentjet-front';

export const languages = {
  config: 'yaml',
  /** Those of workflows and judges. */
  code: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python'],
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
  /** Makes a config, a workflow, a judge and tasks in a folder of the user's and opens it. */
  newProject: 'agentjet.newProject',
  /** Places the SDK's types in the workspace. */
  addTypes: 'agentjet.addTypes',
  showLog: 'agentjet.showLog',
  /** Asks for a tokenizer.json or its folder and makes it the setting of a workspace folder. */
  chooseTokenizer: 'agentjet.chooseTokenizer',
  /** Brings a model's tokenizer from the hub to this machine's cache. */
  fetchTokenizer: 'agentjet.fetchTokenizer',
  /** Shows the trace given, or what another tool recorded, or asks for one; with a second argument at a place of the viewer's. */
  openTrace: 'agentjet.openTrace',
  /** Writes the trace given, or that in front, in another format. */
  exportTrace: 'agentjet.exportTrace',
  /** Shows the newest trace of this window's runs and folders. */
  openLastTrace: 'agentjet.openLastTrace',
  /** Runs an episode of the run given, else of the newest trace, again under the debugger; asks which. */
  debugEpisode: 'agentjet.debugEpisode',
  /** Lists the runs anew. */
  refreshRuns: 'agentjet.refreshRuns',
  /** Shows the trace of the run that goes on; asks which, where there are several. */
  showOngoingRuns: 'agentjet.showOngoingRuns',
  /** What follows is for the runs that are given or, without any, those selected in the view. Shows them. */
  openRun: 'agentjet.openRun',
  /** Opens the config that the run was started with. */
  openRunConfig: 'agentjet.openRunConfig',
  /** Shows the trace in the system's file manager. */
  revealRunInOs: 'agentjet.revealRunInOs',
  revealRunInExplorer: 'agentjet.revealRunInExplorer',
  copyRunPath: 'agentjet.copyRunPath',
  /** Gives the run's folder another name. */
  renameRun: 'agentjet.renameRun',
  deleteRun: 'agentjet.deleteRun',
  /** Shows, beside it, what becomes of the config in front, or of the one given, once it is composed. */
  showEffectiveConfig: 'agentjet.showEffectiveConfig',
  /** The same, as the launcher hands it to Trinity-RFT. */
  showTrinityConfig: 'agentjet.showTrinityConfig',
  /** The same, as the launcher hands it to verl. */
  showVerlConfig: 'agentjet.showVerlConfig',
  /** Asks for another config and compares by effective value. */
  compareConfig: 'agentjet.compareConfig',
  /** Sends what is written in answer to an LLM call that waits for a person. */
  sendAnswer: 'agentjet.sendAnswer',
  /** Shows the LLM call that waits for a person. */
  answerCall: 'agentjet.answerCall',
  /** Shows what a rule is about: the one given, or one that is asked for. */
  explainRule: 'agentjet.explainRule',
  /** Installs debugpy for the Python that runs here, in a folder of the extension's. */
  installDebugpy: 'agentjet.installDebugpy',
  /** Asks for a GPU host's address and token, and connects. */
  addHost: 'agentjet.addHost',
  /** Asks for a host's token again: one that was taken back, or that the editor has not kept. */
  setHostToken: 'agentjet.setHostToken',
  removeHost: 'agentjet.removeHost',
  refreshHosts: 'agentjet.refreshHosts',
  /** Sends the config in front, or the one given, to a GPU host and trains there. */
  trainOnHost: 'agentjet.trainOnHost',
  /** What follows is for the training run that is given or, without one, asked for. Shows it. */
  openTraining: 'agentjet.openTraining',
  showTrainingLog: 'agentjet.showTrainingLog',
  cancelTraining: 'agentjet.cancelTraining',
  /** Goes on from its newest checkpoint, in the same folder. */
  resumeTraining: 'agentjet.resumeTraining',
  /** Goes on from a checkpoint in a folder of its own. */
  forkTraining: 'agentjet.forkTraining',
  fetchCheckpoint: 'agentjet.fetchCheckpoint',
  /** Fetches what it has kept of its rollouts, and shows it as a trace. */
  openRollouts: 'agentjet.openRollouts',
  openJobFolder: 'agentjet.openJobFolder',
  /** Copies the command of the command line that starts the same. */
  copyTrainingCommand: 'agentjet.copyTrainingCommand',
  /** Draws another run over it, on its page. */
  compareTraining: 'agentjet.compareTraining',
  /** Shows the config that it was started with. */
  showTrainingConfig: 'agentjet.showTrainingConfig',
  /** Compares the configs that two were started with. */
  compareTrainingConfig: 'agentjet.compareTrainingConfig',
  removeTraining: 'agentjet.removeTraining',
  /** Takes the notes of the last run off code and configs. */
  clearRunNotes: 'agentjet.clearRunNotes',
} as const;

/** Of the read-only documents that show effective configs. */
export const effectiveScheme = 'agentjet-effective';

/** Of the read-only documents that show what training runs were started with. */
export const trainingConfigScheme = 'agentjet-training-config';

/** Of documents in which nothing of a config is to be checked, completed, mended or started. */
export const shownConfigSchemes: readonly string[] = [effectiveScheme, trainingConfigScheme];

/** Of the documents in which a person answers LLM calls. */
export const answerScheme = 'agentjet-answer';

/** The container in the activity bar, and the views in it. */
export const viewContainer = 'agentjet';
export const views = {
  /** The runs on disk. */
  runs: 'agentjet.runs',
  /** GPU hosts and what trains there. */
  hosts: 'agentjet.hosts',
} as const;

/** The custom editor of `*.ajtrace` files. */
export const traceEditorType = 'agentjet.trace';

/** The panels that show training runs. */
export const trainingPageType = 'agentjet.trainingRun';

/** Set by `when` clauses' own words: `agentjet.activeConfig && …`. */
export const contextKeys = {
  /** The file in front is an AgentJet config. */
  activeConfig: 'agentjet.activeConfig',
  /** The file in front defines a workflow. */
  activeWorkflow: 'agentjet.activeWorkflow',
  /** The dialect of the config in front: its id, such as `ajet` or `trinity`. */
  activeDialect: 'agentjet.activeDialect',
  /** There is a launch.json, or its like in settings, with something in it: then F5 is its affair. */
  launchConfigured: 'agentjet.launchConfigured',
  /** It is known that there are no runs. */
  noRuns: 'agentjet.noRuns',
  /** No GPU host was added. */
  noHosts: 'agentjet.noHosts',
} as const;

export const settingsSection = 'agentjet';

/** Names below `agentjet.`. Scope `resource` where a folder of the workspace may differ, as for launches. */
export const settings = {
  /** string, default "": the Node.js that runs workflows. Scope `machine-overridable`. */
  runtimeExecutable: 'runtimeExecutable',
  python: 'python',
  /** `embedded` | `script` | `endpoint` | `human`, default `embedded`. Scope `resource`. */
  model: 'model',
  /** string, default "": file of a scripted model. Scope `resource`. */
  script: 'script',
  /** {baseUrl, model, apiKeyEnv?} or null, default null. Scope `resource`. */
  endpoint: 'endpoint',
  /** string, default "": a tokenizer.json or the folder of one. Scope `resource`. */
  tokenizer: 'tokenizer',
  /** integer, default 1: episodes at a time under F5; 0: as the config says. Scope `resource`. */
  parallel: 'parallel',
  /** boolean, default true: Debug and Run above configs and workflows. Scope `resource`. */
  codeLens: 'codeLens',
  /** `never` | `whenRunStarts` | `whenRunEnds`, default `whenRunEnds`: when a debugged run's trace opens. Scope `resource`. */
  openTrace: 'openTrace',
  /** boolean, default true: findings in configs. Scope `resource`. */
  checkEnabled: 'check.enabled',
  /** {[rule]: `off` | severity}, default {}: see `ruleCatalog`. Scope `resource`. */
  checkRules: 'check.rules',
  /** boolean, default true: what follows from a config, in its lines. Scope `resource`. */
  inlayHints: 'inlayHints',
  /** boolean, default true: what the last run came to, above the code that had a part in it. Scope `resource`. */
  runLenses: 'runLenses',
  /** boolean, default true: what the last run found, at code and configs. Scope `resource`. */
  runNotes: 'runNotes',
  /** string[], default []: variables of the editor's environment, or `.env`, that training runs are given. Scope `resource`. */
  trainingVariables: 'trainingVariables',
  /** number of GB, default 2: more than that is not sent to a GPU host. Scope `resource`. */
  trainingUploadLimit: 'trainingUploadLimit',
} as const;

/** Settings that only a trusted workspace may set (`capabilities.untrustedWorkspaces.restrictedConfigurations`). */
export const restrictedSettings = [
  settings.runtimeExecutable,
  settings.python,
  settings.script,
  settings.endpoint,
  settings.tokenizer,
  settings.trainingVariables,
] as const;
