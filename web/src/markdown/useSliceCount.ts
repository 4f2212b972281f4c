import { useEffect, useState } from "react";
import { yieldToBrowser } from "../json/parseInSlices";

/** How many of the slices are to be rendered: one at first, then one more per task. */
export function useSliceCount(slices: readonly unknown[]): number {
  const [progress, setProgress] = useState({ slices, count: 1 });
  const count = progress.slices === slices ? progress.count : 1;
  useEffect(() => {
    if (count >= slices.length) return;
    let isCancelled = false;
    void yieldToBrowser().then(() => {
      if (!isCancelled) setProgress({ slices, count: count + 1 });
    });
    return () => {
      isCancelled = true;
    };
  }, [slices, count]);
  return count;
}
