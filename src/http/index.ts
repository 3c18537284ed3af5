/** The HTTP room: routes with their schemas go in, a server comes out. Nobody outside meets the engine. */
export { apiKeyAccess, openAccess } from './access.ts';
export { maxHeaderBytes } from './engine.ts';
export type { Form, FormFile } from './multipart.ts';
export { openApiDocument, problemSchema, type OpenApiOptions } from './openapi.ts';
export { isProblemCode, problem, problemCodes, problemStatus, type FieldError, type Problem, type ProblemCode } from './problems.ts';
export { bytesBody, formBody, invalidInput, json, jsonBody, route, type AnswerDoc, type BodyRule, type Route, type RouteInput, type RouteSpec } from './route.ts';
export { compileSchema, type SchemaCheck } from './schema.ts';
export { createHttpServer, type HttpLimits, type HttpServer, type HttpServerOptions, type ListenFailureCode, type ListenResult } from './server.ts';
export type {
  AccessCheck, AccessDecision, Clock, Headers, HttpAnswer, HttpRequest, Method, PlainAnswer, ProblemAnswer, RequestHead, Result, StreamAnswer, StreamWriter,
} from './types.ts';
export { areaCRoutes, type AreaCServices } from './area-c/index.ts';
