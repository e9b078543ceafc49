// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The script `Scripts/install-dependencies`, with stand-ins for package managers that record how
/// they are called and change nothing.
struct InstallerTests {
    /// A checkout that holds the script alone.
    private let checkout = TemporaryFolder()
    /// The only folder in `PATH`.
    private let programs = TemporaryFolder()

    init() throws {
        let manager = FileManager.default
        try manager.createDirectory(
            at: checkout.appending("Scripts"), withIntermediateDirectories: true)
        try manager.copyItem(
            at: Checkout.root.appending(path: "Scripts/install-dependencies"),
            to: checkout.appending("Scripts/install-dependencies"))
        let tools = [
            "bash", "cat", "chmod", "dirname", "env", "grep", "head", "mkdir", "mktemp", "readlink",
            "rm", "sed", "sh", "sort", "tail", "tr",
        ]
        for tool in tools {
            try manager.createSymbolicLink(
                at: programs.appending(tool), withDestinationURL: URL(filePath: "/usr/bin/\(tool)"))
        }
        try stand(in: "sudo", #"[ "$1" = -n ] && shift; exec "$@""#)
        try stand(in: "sleep", #"echo "sleep $*" >>"$CALLS""#)
    }

    /// Adds a program in place of the real one.
    private func stand(in name: String, _ text: String) throws {
        let url = programs.appending(name)
        try? FileManager.default.removeItem(at: url)
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
    }

    /// Adds the package managers. Until one of them installs, nothing is there.
    private func addManagers(ffmpeg: String = "59.37.100") throws {
        let installs = #"echo "${0##*/} $*" >>"$CALLS"; case " $* " in *" install "*|*" -S "*) "#
        try stand(in: "dpkg-query", "exit 1")
        try stand(in: "rpm", "exit 1")
        for name in ["apt-get", "dnf", "zypper"] {
            try stand(in: name, installs + #": >"$CALLS.installed";; esac"#)
        }
        try stand(
            in: "pacman",
            """
            if [ "$1" = -T ]; then shift; printf '%s\\n' "$@"; exit 127; fi
            echo "pacman $*" >>"$CALLS"
            """)
        try stand(
            in: "pkg-config",
            """
            case $1 in
                --atleast-version=59.37.100) [ "\(ffmpeg)" != 58.134.100 ] ;;
                --modversion) echo \(ffmpeg) ;;
                *) exit 1 ;;
            esac
            """)
    }

    private func install(
        on release: String, _ arguments: String..., environment: [String: String?] = [:]
    ) throws -> (result: ProcessRunner.Result, calls: [String]) {
        let calls = programs.appending("calls")
        try Data().write(to: calls)
        try Data(release.utf8).write(to: checkout.appending("os-release"))
        let result = try ProcessRunner.run(
            [checkout.appending("Scripts/install-dependencies").path] + arguments,
            environment: environment.merging([
                "PATH": programs.url.path, "CALLS": calls.path,
                "OS_RELEASE": checkout.appending("os-release").path,
            ]) { $1 })
        let text = String(decoding: try Data(contentsOf: calls), as: UTF8.self)
        return (result, text.split(separator: "\n").map(String.init))
    }

    private static let debian = "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\n"

    @Test(arguments: [
        "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n",
        debian,
        "PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\nID_LIKE=debian\n",
        "PRETTY_NAME=\"Linux Mint 22\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
    ])
    func `Debian and Ubuntu install by APT and remove nothing`(release: String) throws {
        try addManagers()
        let (result, calls) = try install(on: release)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(calls.count == 2)
        #expect(calls.first?.hasSuffix(" update") == true)
        let call = try #require(calls.last)
        #expect(call.hasPrefix("apt-get -y "))
        #expect(call.contains(" -o DPkg::Lock::Timeout="))
        #expect(call.contains(" install --no-remove --no-install-recommends "))
        let packages = call.split(separator: " ")
        let expected: [Substring] = [
            "make", "g++", "pkg-config", "libavformat-dev", "libdecor-0-plugin-1-cairo",
            "libglfw3-dev", "libpulse-dev",
        ]
        for package in expected { #expect(packages.contains(package)) }
        #expect(!packages.contains("pulseaudio"))
    }

    @Test func `Fedora installs by DNF`() throws {
        try addManagers()
        let (result, calls) = try install(
            on: "PRETTY_NAME=\"Fedora Linux 43\"\nID=fedora\n", "--tests")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(calls.count == 1)
        let call = try #require(calls.first)
        #expect(call.hasPrefix("dnf -y install --setopt=install_weak_deps=False "))
        #expect(!call.contains("allowerasing"))
        let expected = [
            "make", "gcc-c++", "pkgconfig(libavformat)", "pkgconfig(glfw3)", "mesa-dri-drivers",
            "dejavu-sans-fonts", "/usr/bin/ffmpeg", "xorg-x11-drv-dummy", "libdecor",
        ]
        let packages = call.split(separator: " ").map(String.init)
        for package in expected { #expect(packages.contains(package)) }
        #expect(!packages.contains("pulseaudio"))
        #expect(result.standardError.contains("tests that play audio are skipped"))
    }

    @Test func `openSUSE installs by Zypper`() throws {
        try addManagers()
        let (result, calls) = try install(
            on: """
                NAME="openSUSE Tumbleweed"
                ID="opensuse-tumbleweed"
                ID_LIKE="opensuse suse"
                """)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(calls.count == 1)
        let call = try #require(calls.first)
        #expect(
            call.hasPrefix(
                "zypper --non-interactive install --no-recommends --no-force-resolution "))
        let packages = call.split(separator: " ").map(String.init)
        for package in ["make", "pkgconfig(libavcodec)", "Mesa-dri", "dejavu-fonts"] {
            #expect(packages.contains(package))
        }
        #expect(!packages.contains("-"))
    }

    @Test(arguments: ["ID=arch\n", "ID=manjaro\nID_LIKE=arch\n"])
    func `Arch installs by Pacman`(release: String) throws {
        try addManagers()
        let (result, calls) = try install(on: release, "--tests")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(calls.count == 1)
        let call = try #require(calls.first)
        #expect(call.hasPrefix("pacman -S --needed --noconfirm "))
        let packages = call.split(separator: " ").map(String.init)
        for package in ["make", "ffmpeg", "glfw", "mesa", "libdecor", "xorg-server-xvfb"] {
            #expect(packages.count { $0 == package } == 1)
        }
        #expect(!packages.contains("-"))
    }

    @Test func `packages that are installed are not installed again`() throws {
        try addManagers()
        // A package that matches a pattern serves as well.
        try stand(
            in: "dpkg-query",
            """
            for name; do
                case $name in
                    -*|*Package*) ;;
                    'libstdc++-*-dev') echo 'installed libstdc++-14-dev' ;;
                    'libdecor-0-plugin-1-*') echo 'installed libdecor-0-plugin-1-gtk' ;;
                    make) echo 'config-files make' ;;
                    *) echo "installed $name" ;;
                esac
            done
            """)
        let (result, calls) = try install(on: Self.debian)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(calls.last?.hasSuffix(" install --no-remove --no-install-recommends make") == true)
        try stand(in: "rpm", "exit 0")
        #expect(try install(on: "ID=fedora\n").calls.isEmpty)
        try stand(in: "pacman", #"[ "$1" = -T ] || echo "pacman $*" >>"$CALLS""#)
        #expect(try install(on: "ID=arch\n").calls.isEmpty)
    }

    @Test func `packages that conflict with installed ones are refused by name`() throws {
        try addManagers()
        try stand(
            in: "apt-get",
            """
            echo "apt-get $*" >>"$CALLS"
            case " $* " in *" install "*) ;; *) exit 0 ;; esac
            echo 'The following packages will be REMOVED:'
            echo '  gnome-core pipewire-audio'
            echo 'The following NEW packages will be installed:'
            echo '  make'
            echo 'E: Packages need to be removed but remove is disabled.'
            exit 100
            """)
        let (result, calls) = try install(on: Self.debian)
        #expect(result.status == 1)
        #expect(calls.count == 2)
        #expect(result.standardError.contains("so nothing was installed:"))
        #expect(result.standardError.hasSuffix("  gnome-core pipewire-audio\n"))
    }

    @Test(arguments: [
        ("apt-get", debian, "E: Could not get lock /var/lib/apt/lists/lock. It is held by 7"),
        ("pacman", "ID=arch\n", "error: failed to init transaction (unable to lock database)"),
        ("zypper", "ID=opensuse-leap\n", "System management is locked by the application 7"),
    ])
    func `the lock of another package manager is waited for`(
        manager: String, release: String, message: String
    ) throws {
        try addManagers()
        try stand(
            in: manager,
            """
            if [ "$1" = -T ]; then shift; printf '%s\\n' "$@"; exit 127; fi
            echo "\(manager) $*" >>"$CALLS"
            [ "$(grep -c '^\(manager)' "$CALLS")" -gt 2 ] && exit 0
            echo '\(message)' >&2
            exit 100
            """)
        let (result, calls) = try install(on: release)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(calls.filter { $0 == "sleep 3" }.count == 2)
        #expect(calls.prefix(4).filter { $0.hasPrefix(manager) }.count == 2)
        #expect(result.standardError.contains("waits for another package manager to finish"))
    }

    @Test func `a failure shows the reason and fails`() throws {
        try addManagers()
        try stand(
            in: "pacman", #"[ "$1" = -T ] && { echo make; exit 127; }; echo no mirror; exit 1"#)
        let (result, _) = try install(on: "ID=arch\n")
        #expect(result.status == 1)
        #expect(
            result.standardError.hasSuffix(
                """
                no mirror
                Scripts/install-dependencies: could not install make; the reason is above; update the \
                system first: pacman -Syu

                """))
    }

    @Test func `an unknown system names the libraries that are missing`() throws {
        try addManagers()
        let release = "PRETTY_NAME=\"NixOS 25.11\"\nID=nixos\n"
        try stand(in: "pkg-config", #"[ "$2" != libass ] && [ "$2" != glfw3 ]"#)
        let (result, calls) = try install(on: release)
        #expect(calls.isEmpty)
        #expect(result.status == 1)
        #expect(
            result.standardError == """
                Scripts/install-dependencies: no package names are known for NixOS 25.11; install the \
                development files of: glfw3 libass

                """)
        try stand(in: "pkg-config", "exit 0")
        #expect(try install(on: release).result.status == 0)
    }

    @Test func `an FFmpeg before 5.1 is refused in a sentence`() throws {
        try addManagers(ffmpeg: "58.134.100")
        let (result, _) = try install(
            on: "PRETTY_NAME=\"Debian GNU/Linux 11 (bullseye)\"\nID=debian\n")
        #expect(result.status == 1)
        #expect(
            result.standardError.hasSuffix(
                """
                Scripts/install-dependencies: FFmpeg 5.1 or later is required, and Debian GNU/Linux 11 \
                (bullseye) has libavcodec 58.134.100; install a newer FFmpeg, or use Debian 12 or Ubuntu \
                24.04 or later

                """))
    }

    @Test(.enabled(if: ProcessRunner.has("gcc"), "needs gcc"))
    func `a build with an FFmpeg before 5.1 stops at a sentence`() throws {
        let headers = TemporaryFolder()
        let shim = Checkout.root.appending(path: "Sources/Interop/FFmpeg/shim.h")
        let text = try String(contentsOf: shim, encoding: .utf8)
        // Headers of the same names, without declarations.
        for match in text.matches(of: #/#include <((?:libav|libsw)\w+/\w+\.h)>/#) {
            let header = headers.appending(String(match.output.1))
            try FileManager.default.createDirectory(
                at: header.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(
                """
                #define AV_VERSION_INT(a, b, c) ((a) << 16 | (b) << 8 | (c))
                #define LIBAVCODEC_VERSION_INT AV_VERSION_INT(58, 134, 100)

                """.utf8
            ).write(to: header)
        }
        let result = try ProcessRunner.run([
            "gcc", "-fsyntax-only", "-x", "c", "-I\(headers.url.path)", shim.path,
        ])
        #expect(result.status != 0)
        #expect(result.standardError.contains("FFmpeg 5.1 or later is required; Debian 12 and"))
    }

    @Test func `the sound server of the tests is unpacked and not installed`() throws {
        try addManagers()
        try stand(
            in: "apt-get",
            """
            echo "apt-get $*" >>"$CALLS"
            case " $* " in
                *" -s "*) printf 'Inst libtdb1 (1 Debian [amd64])\\nInst pulseaudio (17 Debian)\\n' ;;
                *" download "*) : >libtdb1_1.deb; : >pulseaudio_17.deb ;;
            esac
            """)
        try stand(
            in: "dpkg-deb",
            #"""
            folder=$3/usr/bin
            mkdir -p "$folder" "$3/usr/lib/pulse-17/modules"
            printf '#!/bin/sh\necho "server $*"\n' >"$folder/pulseaudio"
            chmod +x "$folder/pulseaudio"
            """#)
        let (result, calls) = try install(on: Self.debian, "--tests")
        #expect(result.status == 0, "\(result.standardError)")
        for call in calls where call.contains(" --no-remove ") {
            #expect(!call.split(separator: " ").contains("pulseaudio"))
        }
        #expect(calls.last?.hasSuffix(" download libtdb1 pulseaudio") == true)
        let server = checkout.appending(".build/sound-server/pulseaudio")
        let modules = checkout.appending(".build/sound-server/root/usr/lib/pulse-17/modules").path
        let answer = try ProcessRunner.check([server.path, "-n"])
        #expect(answer.text == "server --dl-search-path=\(modules) -n\n")
        // The next run finds it.
        let again = try install(on: Self.debian, "--tests")
        #expect(!again.calls.contains { $0.contains(" download ") })
    }
}
