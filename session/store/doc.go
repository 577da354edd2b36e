// Package store is the folder of data that outlives the process: each client's activity, in SQLite (activity), and the
// project.yaml in which people describe their project (project).
//
// They import session/kernel/run for runs that must survive a restart, and paths of rtc/jupyter.
//
// Start from activity.Store or from project.Project.
package store
