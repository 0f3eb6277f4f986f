// Ponder asks for an API; what is measured is the filling in alone.
import { Hono } from "hono";

export default new Hono();
