package kernels

// Spec is a kernelspec, in the form of GET /api/kernelspecs.
type Spec struct {
	Name      string            `json:"name"`
	Spec      SpecFile          `json:"spec"`
	Resources map[string]string `json:"resources"`
}

// SpecFile is the content of its kernel.json.
type SpecFile struct {
	Argv          []string          `json:"argv"`
	Env           map[string]string `json:"env"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Metadata      map[string]any    `json:"metadata"`
}

// Specs are all kernelspecs, with the name of the default.
type Specs struct {
	Default string          `json:"default"`
	Specs   map[string]Spec `json:"kernelspecs"`
}

// Bash is the kernelspec of a kernel in another language, which runs a small subset of Bash.
func Bash() Spec {
	return Spec{
		Name: "bash", Resources: map[string]string{},
		Spec: SpecFile{
			Argv: []string{"python", "-m", "bash_kernel", "-f", "{connection_file}"}, Env: map[string]string{},
			DisplayName: "Bash", Language: "bash", InterruptMode: "signal", Metadata: map[string]any{},
		},
	}
}

// Python3 is the default kernelspec.
func Python3() Spec {
	return Spec{
		Name: "python3",
		Spec: SpecFile{
			Argv: []string{"python", "-m", "ipykernel_launcher", "-f", "{connection_file}"}, Env: map[string]string{},
			DisplayName: "Python 3 (ipykernel)", Language: "python", InterruptMode: "signal", Metadata: map[string]any{"debugger": true},
		},
		Resources: map[string]string{
			"logo-svg": "/kernelspecs/python3/logo-svg.svg", "logo-64x64": "/kernelspecs/python3/logo-64x64.png",
			"logo-32x32": "/kernelspecs/python3/logo-32x32.png",
		},
	}
}
