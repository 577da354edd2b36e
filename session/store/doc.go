// Package store is the folder of what outlives the process: what each client worked on, in SQLite (activity), and the
// project.yaml in which people describe their project (project).
//
// They import session/kernel/run for runs that a restart must find again, and paths of rtc/jupyter.
//
// Start from activity.Store or from project.Project.
package store
