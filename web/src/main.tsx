import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/tokens.css";
import "./styles/base.css";
import "./ui/ui.css";
import { App } from "./App";
import { capturePointerOnPress } from "./ui/pointerCapture";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");

capturePointerOnPress();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
