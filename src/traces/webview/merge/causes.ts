import * as l10n from '@vscode/l10n';
import type { ForkView } from '../../core/protocol/mergingRpc.ts';

/** Returns the reason why a timeline does not continue an earlier one, as a sentence. */
export function causeOf(fork: ForkView): string {
  const { message, earlierCall, before, now } = fork;
  const role = now?.role ?? before?.role ?? '';
  switch (fork.cause) {
    case 'agents':
      return l10n.t(
        'The call is from another agent than call {0}, or has another system prompt.',
        earlierCall,
      );
    case 'content':
      return l10n.t('Message {0} ({1}) differs from that of call {2}.', message, role, earlierCall);
    case 'reply':
      return l10n.t('The request of call {0} was sent again, and the reply was different.', earlierCall);
    case 'fields':
      return l10n.t(
        'Message {0} ({1}) has the text of call {2}, but another role or other tool calls. Only the level token compares these.',
        message,
        role,
        earlierCall,
      );
    case 'tools':
      return l10n.t('Other tools are offered than in call {0}.', earlierCall);
    case 'retokenized':
      return l10n.t(
        'Message {0} ({1}) has the text of call {2} with other tokens.',
        message,
        role,
        earlierCall,
      );
    case 'shorter':
      return l10n.t(
        'It is the beginning of the conversation of call {0}. Only a later call can continue an earlier one.',
        earlierCall,
      );
  }
}

/** Returns advice for a fork; undefined: none is needed. */
export function adviceOf({ cause }: ForkView): string | undefined {
  switch (cause) {
    case 'agents':
    case 'shorter':
      return undefined;
    case 'content':
    case 'reply':
      return l10n.t('To get one timeline, send the history back unchanged.');
    case 'fields':
    case 'retokenized':
      return l10n.t('timeline_compare_level: text only compares texts.');
    case 'tools':
      return l10n.t('ignore_tools: true merges them anyway.');
  }
}
