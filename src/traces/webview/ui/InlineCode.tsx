/** A text with the parts between backticks as code. */
export function InlineCode({ text }: { readonly text: string }) {
  const parts = text.split('`');
  // An odd number of backticks leaves the last one as it is.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
