import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { humanEventNames, type ModelAsksBody, type ModelAsksNoMoreBody } from '../../node/humanEvents.ts';
import { answerScheme, commands, debugType } from '../../../base/core/ids.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { answerName, Questions } from './questions.ts';

/** Lets the user answer LLM calls in a document next to the conversation. */
export function registerHuman(log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const questions = store.add(new Questions());
  const { debug, languages } = vscode;
  // Handled in sequence, so that an end cannot overtake its start.
  let last = Promise.resolve();
  const next = (work: () => Promise<void>): void => {
    last = last.then(() => reportingErrors(work, log));
  };
  store.add(
    debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType) return;
      if (event === humanEventNames.asks) next(() => questions.asked(session, body as ModelAsksBody));
      if (event === humanEventNames.asksNoMore) {
        next(() => questions.over(session, (body as ModelAsksNoMoreBody).id));
      }
    }),
  );
  store.add(debug.onDidTerminateDebugSession((session) => next(() => questions.over(session))));
  store.add(
    languages.registerCodeLensProvider({ scheme: answerScheme, pattern: `**/${answerName('*')}` }, sendLens),
  );
  const register = (id: string, run: () => Promise<void>): void => {
    store.add(vscode.commands.registerCommand(id, () => reportingErrors(run, log)));
  };
  register(commands.sendAnswer, () => questions.send());
  register(commands.answerCall, () => questions.showWaiting());
  return store;
}

const sendLens: vscode.CodeLensProvider = {
  provideCodeLenses: () => [
    new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
      title: vscode.l10n.t('$(send) Send as the model’s answer'),
      command: commands.sendAnswer,
    }),
  ],
};
