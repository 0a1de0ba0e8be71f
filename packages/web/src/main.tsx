import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { StatusPage } from "./features/status/status-page.tsx";
import "./styles.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <StatusPage />
  </StrictMode>,
);
