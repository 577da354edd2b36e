package kernels

// Spec is a kernel that can be started, as GET /api/kernelspecs gives it.
type Spec struct {
	Name      string            `json:"name"`
	Spec      SpecFile          `json:"spec"`
	Resources map[string]string `json:"resources"`
}

// SpecFile is what its kernel.json says.
type SpecFile struct {
	Argv          []string          `json:"argv"`
	Env           map[string]string `json:"env"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Metadata      map[string]any    `json:"metadata"`
}

// Specs are all of them, with the one that is started if none is named.
type Specs struct {
	Default string          `json:"default"`
	Specs   map[string]Spec `json:"kernelspecs"`
}

// Bash is a kernelspec for a kernel of another language, which knows a handful of what Bash does.
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
