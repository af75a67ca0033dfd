import type { ComponentChildren } from 'preact';
import { commands } from '../../../base/core/ids.ts';
import { inEditor } from './inEditor.ts';
import { InlineCode } from './InlineCode.tsx';

interface Props {
  /** The config that names the model. */
  readonly config: string;
  /** Shown in place of the link in a browser, which has no commands. */
  readonly otherwise?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A link to the command that fetches the tokenizer of the model. */
export function FetchTokenizer({ config, otherwise = null, children }: Props) {
  if (!inEditor) return <>{otherwise}</>;
  const address = `command:${commands.fetchTokenizer}?${encodeURIComponent(JSON.stringify([config]))}`;
  return <a href={address}>{children}</a>;
}

/** A hint of a finding, with the command that it names as a link. */
export function Hint({ text, config }: { readonly text: string; readonly config: string }) {
  const name = 'AgentJet: Fetch Tokenizer';
  const [before = '', ...after] = text.split(name);
  return (
    <>
      <InlineCode text={before} />
      {after.map((part) => (
        <>
          <FetchTokenizer config={config} otherwise={name}>
            {name}
          </FetchTokenizer>
          <InlineCode text={part} />
        </>
      ))}
    </>
  );
}
