// Panel with content that may be longer: it scrolls by rows and mounts only the visible ones.

import {
  Children,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useEffect,
} from "react";
import { Panel, type PanelProps, panelInnerHeight } from "./panel.tsx";
import { Origin } from "./text-cursor.tsx";

export interface ScrollPanelProps extends PanelProps {
  /** First visible row. A larger number than the last page's shows the last page. */
  readonly top: number;
  /** Receives the scroll range, once the content is drawn. */
  readonly onExtent?: (lastTop: number) => void;
  /** Each child draws exactly one row; arrays and fragments are flattened. */
  readonly children?: ReactNode;
}

/** The footer defaults to the number of rows below. */
export function ScrollPanel(props: ScrollPanelProps): ReactElement {
  const { top, onExtent, children, ...panel } = props;
  const rows = rowsIn(children);
  const height = panelInnerHeight(panel.height);
  const lastTop = Math.max(0, rows.length - height);
  useEffect(() => {
    onExtent?.(lastTop);
  }, [onExtent, lastTop]);
  const first = Math.min(top, lastTop);
  const below = rows.length - first - height;
  return (
    <Panel footer={below > 0 ? `${below} more below` : ""} {...panel}>
      {rows.slice(first, first + height).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
        <Origin key={first + index} x={0} y={index}>
          {row}
        </Origin>
      ))}
    </Panel>
  );
}

function rowsIn(children: ReactNode): readonly ReactNode[] {
  return Children.toArray(children).flatMap((child) =>
    isValidElement<{ children?: ReactNode }>(child) && child.type === Fragment
      ? rowsIn(child.props.children)
      : [child],
  );
}
