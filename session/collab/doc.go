// Package collab is the folder of people and other agents: who is in a room and where (people), how people see each client
// (presence), who is on the server (globalawareness), which edits wait for a typing person (editguard), calls of an agent by
// its name (mentions), chats (chat), and which process delivers a mention (lease).
//
// The packages import ydoc, rtc, session/document, session/origin and session/textfmt, but not kernels or the manager.
//
// Start from people.Company, which every other package here reads; editguard.Guard decides whether an edit may proceed.
package collab
