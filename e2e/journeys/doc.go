// Package journeys has the ways through nbduet that people use most, at most twelve, each through the built program, a real
// JupyterLab and what others see of it: a member of the room that is made with pycrdt, the file on disk, and in one of them
// a browser. They gate each change, so that they take two minutes together; whatever is seldom, slow or one of many stands
// in the other packages of e2e.
package journeys
