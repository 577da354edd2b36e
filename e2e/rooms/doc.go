// Package rooms tests open notebooks under faults: connections that break, stall, slow down and split packets, servers
// that are killed, rooms that are cleaned up, and several programs that edit one notebook at random.
//
// All tests use real Jupyter servers, through a proxy of this process if the network is at fault. After each fault the
// same must be true: every edit that was answered as done is in the room and in the file, once; all members have the
// same notebook; the file is valid nbformat with unique cell ids.
//
// NBDUET_ROOM_SEEDS is the number of random notebooks, and NBDUET_ROOM_SEED the first seed; a failure prints its seed.
// The table of outages against operations is in outages_kinds_test.go and outages_operations_test.go.
package rooms
