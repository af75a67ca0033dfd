/**
 * The names that `package.json` and the code share. A test fails if one of them misses a name of the other.
 * Launch attributes are in `src/backbone/node/options/runOptions.ts`.
 */
export const debugType = 'agentjet';

/**
 * The debug type for F5 without a launch.json, which resolves to {@link debugType}. Only this type has `languages` and
 * `when`. VS Code rejects a type whose `when` is false, also in the launch.json that the user edits.
 */
export const activeFileDebugType = 'agentjet-active-file';

export const languages = {
  config: 'yaml',
  /** The languages of workflows and judges. */
  code: ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python'],
} as const;

export const commands = {
  /** Debugs the given config or workflow, by default the active editor. */
  debug: 'agentjet.debug',
  run: 'agentjet.run',
  setApiKey: 'agentjet.setApiKey',
  deleteApiKey: 'agentjet.deleteApiKey',
  /** Asks which model answers the LLM calls of runs and saves it in the settings. */
  chooseModel: 'agentjet.chooseModel',
  openExample: 'agentjet.openExample',
  newProject: 'agentjet.newProject',
  /** Shows the workflow of the window at a good place for a breakpoint. */
  showWorkflow: 'agentjet.showWorkflow',
  addTypes: 'agentjet.addTypes',
  showLog: 'agentjet.showLog',
  getStarted: 'agentjet.getStarted',
  openDocumentation: 'agentjet.openDocumentation',
  /** Asks for a tokenizer.json or its folder and saves it in the settings of a workspace folder. */
  chooseTokenizer: 'agentjet.chooseTokenizer',
  fetchTokenizer: 'agentjet.fetchTokenizer',
  /**
   * Shows the given trace or recording of another tool, or asks for one. The second argument is a route of the viewer, the
   * third the path of a trace to compare with.
   */
  openTrace: 'agentjet.openTrace',
  /** Writes the given trace, by default the active editor, in another format. */
  exportTrace: 'agentjet.exportTrace',
  /** Shows the newest trace of the runs and folders of this window. */
  openLastTrace: 'agentjet.openLastTrace',
  /** Shows the table of all runs in the viewer of the newest trace. */
  compareRuns: 'agentjet.compareRuns',
  /** Asks for an episode of the given run, by default the newest one, and debugs it again. */
  debugEpisode: 'agentjet.debugEpisode',
  refreshRuns: 'agentjet.refreshRuns',
  /** Shows the trace of the active run. Asks if there are several. */
  showOngoingRuns: 'agentjet.showOngoingRuns',
  /** Shows runs. This and the next commands take the given runs, by default those selected in the view. */
  openRun: 'agentjet.openRun',
  openRunConfig: 'agentjet.openRunConfig',
  revealRunInOs: 'agentjet.revealRunInOs',
  revealRunInExplorer: 'agentjet.revealRunInExplorer',
  copyRunPath: 'agentjet.copyRunPath',
  renameRun: 'agentjet.renameRun',
  deleteRun: 'agentjet.deleteRun',
  /** Shows the composed form of the given config, by default the active editor, in a side editor. */
  showEffectiveConfig: 'agentjet.showEffectiveConfig',
  showTrinityConfig: 'agentjet.showTrinityConfig',
  showVerlConfig: 'agentjet.showVerlConfig',
  compareConfig: 'agentjet.compareConfig',
  /** Asks for the release whose keys configs are checked with. */
  chooseRelease: 'agentjet.chooseRelease',
  /** Sends the text of the answer document as the reply to a waiting LLM call. */
  sendAnswer: 'agentjet.sendAnswer',
  answerCall: 'agentjet.answerCall',
  /** Explains the given rule, or asks for one. */
  explainRule: 'agentjet.explainRule',
  /** Turns the given rule off in the settings of the folder of the given config. Only quick fixes run it. */
  switchRuleOff: 'agentjet.switchRuleOff',
  /** Installs debugpy for the selected Python in a folder of the extension. */
  installDebugpy: 'agentjet.installDebugpy',
  /** Installs the packages of the requirements.txt next to the given file, by default the active editor. */
  installPackages: 'agentjet.installPackages',
  addHost: 'agentjet.addHost',
  setHostToken: 'agentjet.setHostToken',
  removeHost: 'agentjet.removeHost',
  refreshHosts: 'agentjet.refreshHosts',
  /** Asks where to train the given config, by default the active editor. */
  train: 'agentjet.train',
  /** Sends the given config, by default the active editor, to a GPU host and starts training. */
  trainOnHost: 'agentjet.trainOnHost',
  /** Shows a training run. This and the next commands take the given training run, or ask for one. */
  openTraining: 'agentjet.openTraining',
  showTrainingLog: 'agentjet.showTrainingLog',
  cancelTraining: 'agentjet.cancelTraining',
  /** Continues from the newest checkpoint in the same folder. */
  resumeTraining: 'agentjet.resumeTraining',
  /** Continues from a checkpoint in a new folder. */
  forkTraining: 'agentjet.forkTraining',
  fetchCheckpoint: 'agentjet.fetchCheckpoint',
  openRollouts: 'agentjet.openRollouts',
  openJobFolder: 'agentjet.openJobFolder',
  /** Copies the `agentjet` command that starts the same training run. */
  copyTrainingCommand: 'agentjet.copyTrainingCommand',
  /** Adds the charts of another run to the page of this one. */
  compareTraining: 'agentjet.compareTraining',
  showTrainingConfig: 'agentjet.showTrainingConfig',
  compareTrainingConfig: 'agentjet.compareTrainingConfig',
  removeTraining: 'agentjet.removeTraining',
  /** Shows the training in the given folder of this machine, or asks for one. The next command resumes it. */
  openTrainingFolder: 'agentjet.openTrainingFolder',
  resumeTrainingFolder: 'agentjet.resumeTrainingFolder',
  fetchFolderCheckpoint: 'agentjet.fetchFolderCheckpoint',
  publishFolderCheckpoint: 'agentjet.publishFolderCheckpoint',
  deleteFolderCheckpoint: 'agentjet.deleteFolderCheckpoint',
  clearRunNotes: 'agentjet.clearRunNotes',
} as const;

/** The URI schemes of the documents that the extension provides. */
export const answerScheme = 'agentjet-answer';
export const effectiveScheme = 'agentjet-effective';
export const trainingConfigScheme = 'agentjet-training-config';
/** Those of configs without checks, completions, quick fixes and code lenses. */
export const readOnlyConfigSchemes: readonly string[] = [effectiveScheme, trainingConfigScheme];

export const views = {
  runs: 'agentjet.runs',
  hosts: 'agentjet.hosts',
} as const;

/** The custom editor of `*.ajtrace` files. */
export const traceEditorType = 'agentjet.trace';
export const trainingPageType = 'agentjet.trainingRun';

/** The context keys for `when` clauses, such as `agentjet.activeConfig && …`. */
export const contextKeys = {
  activeConfig: 'agentjet.activeConfig',
  /** The active editor defines a workflow. */
  activeWorkflow: 'agentjet.activeWorkflow',
  /** The id of the dialect of the active config, such as `ajet` or `trinity`. */
  activeDialect: 'agentjet.activeDialect',
  /** A launch.json or the `launch` setting has configurations, so F5 uses those. */
  launchConfigured: 'agentjet.launchConfigured',
  /** The user has set a breakpoint in this window. */
  hasBreakpoint: 'agentjet.hasBreakpoint',
  /** A run has started in this window. */
  hasRun: 'agentjet.hasRun',
  /** An LLM call waits for the answer of the user. */
  callWaits: 'agentjet.callWaits',
  /** The runs are listed, and there are none. */
  noRuns: 'agentjet.noRuns',
  noHosts: 'agentjet.noHosts',
} as const;

export const settingsSection = 'agentjet';

/** The names of settings below `agentjet.`. Their types, defaults and scopes are in `package.json`. */
export const settings = {
  runtimeExecutable: 'runtimeExecutable',
  python: 'python',
  releaseAgentjet: 'release.agentjet',
  releaseTrinity: 'release.trinity',
  model: 'model',
  script: 'script',
  endpoint: 'endpoint',
  editorModel: 'editorModel',
  maxCalls: 'maxCalls',
  maxTokens: 'maxTokens',
  tokenizer: 'tokenizer',
  parallel: 'parallel',
  codeLens: 'codeLens',
  traceAutoOpen: 'trace.autoOpen',
  checkEnabled: 'check.enabled',
  checkRules: 'check.rules',
  inlayHints: 'inlayHints',
  runLenses: 'runLenses',
  runNotes: 'runNotes',
  trainingEnv: 'training.env',
  trainingUploadLimit: 'training.uploadLimit',
  prices: 'prices',
} as const;
