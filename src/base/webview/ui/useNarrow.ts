import { useLayoutEffect, useState } from 'preact/hooks';

/** The style sheet knows it too. */
const narrow = window.matchMedia('(width < 700px)');

/** Whether the page has no room for a list beside what is chosen in it. */
export function useNarrow(): boolean {
  const [is, setIs] = useState(narrow.matches);
  useLayoutEffect(() => {
    const onChange = () => setIs(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return is;
}
