"""Generates `estimation_client/generated` from the OpenAPI document of the repository, and copies the licences.

A source distribution contains the generated files. There this script does nothing.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
DOCUMENT = REPOSITORY / "openapi" / "openapi.json"
GENERATED = HERE / "estimation_client" / "generated"


def main() -> None:
    if not DOCUMENT.exists():
        if not GENERATED.exists():
            sys.exit(f"there is no {DOCUMENT}: run this in a clone of the repository")
        return
    for licence in REPOSITORY.glob("LICENSE-*"):
        shutil.copy(licence, HERE)
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--overwrite"]
    command += ["--fail-on-warning", "--path", str(DOCUMENT), "--output-path", str(GENERATED)]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
