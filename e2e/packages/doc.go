// Package packages tests the parts of a release: wheels, npm packages, archives, deb and rpm, bundles, and the files
// that registries read. GoReleaser makes the release with its own configuration from a tagged clone, for this machine
// only; the results are installed, and started with a real JupyterLab.
package packages
