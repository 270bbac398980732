/** Starts the dashboard in the browser. */
import { createRoot } from "react-dom/client";

const root = document.querySelector("#root");
if (root) createRoot(root).render(<h1>Busbar</h1>);
