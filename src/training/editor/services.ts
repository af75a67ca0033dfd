import type * as vscode from 'vscode';
import type { ApiKeys } from '../../backbone/editor/model/apiKeys.ts';
import type { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import type { DispatchedRuns } from './dispatchedRuns.ts';
import type { ChosenRun } from './hostClient.ts';
import type { HostClients } from './hostClients.ts';
import type { KnownHosts } from './knownHosts.ts';
import type { PreflightNotes } from './preflightNotes.ts';
import type { SshTunnels } from './sshTunnels.ts';
import type { TrainingConfigs } from './trainingConfigs.ts';

export interface TrainingServices {
  readonly hosts: KnownHosts;
  readonly clients: HostClients;
  readonly ssh: SshTunnels;
  readonly notes: PreflightNotes;
  readonly dispatchedRuns: DispatchedRuns;
  readonly configs: TrainingConfigs;
  readonly recent: RecentConfigs;
  readonly apiKeys: ApiKeys;
  readonly log: vscode.LogOutputChannel;
  /** The folder for downloads and for the cache of file hashes. */
  readonly storage: vscode.Uri;
  readonly showLog: (chosen: ChosenRun) => void;
  readonly showPage: (chosen: ChosenRun, opensItself?: boolean) => Promise<void>;
}
