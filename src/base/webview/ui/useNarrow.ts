import { useLayoutEffect, useState } from 'preact/hooks';

/** The style sheet knows it too. */
const narrow = window.matchMedia('(width < 700px)');

/** Returns true if the page is too narrow for a list next to its selected item. */
export function useNarrow(): boolean {
  const [is, setIs] = useState(narrow.matches);
  useLayoutEffect(() => {
    const onChange = () => setIs(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return is;
}
