// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The packages of distributions: Debian's, made with stand-ins for what takes minutes to build,
/// and the descriptions of the others in `Scripts/packaging`.
struct PackageTests {
    private static let packaging = Checkout.root.appending(path: "Scripts/packaging")
    private static let isDebian =
        ProcessRunner.has("dpkg-deb")
        && FileManager.default.fileExists(atPath: "/etc/debian_version")

    private let folder = TemporaryFolder()

    private func description(_ name: String) throws -> String {
        try String(contentsOf: Self.packaging.appending(path: name), encoding: .utf8)
    }

    /// Runs a script in the folder, and returns what it prints.
    private func bash(_ script: String, environment: [String: String?] = [:]) throws -> String {
        let result = try ProcessRunner.run(
            ["bash", "-euo", "pipefail", "-c", script],
            environment: environment.merging(["PACKAGING": Self.packaging.path]) { $1 },
            directory: folder.url)
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
        return result.text
    }

    private static let version: Result<String, any Error> = Result {
        let words = try Tool.run("--version").text.split(whereSeparator: \.isWhitespace)
        return String(try #require(words.dropFirst().first))
    }

    // MARK: Debian and Ubuntu

    /// Makes the packages: a library and a program that link to a few libraries, the program with
    /// the documents of the real one.
    private func makeDebianPackages() throws {
        _ = try bash(
            """
            echo 'int playhead_version(void) { return 0; }' >library.c
            gcc -shared -fPIC -Wl,-soname,libplayhead.so.1 -Wl,--no-as-needed library.c \
                -o library.so -lavcodec
            cat >tool.c <<'END'
            #include <stdlib.h>
            #include <unistd.h>
            int main(int count, char **arguments) {
                (void)count;
                return execv(getenv("PLAYHEAD"), arguments);
            }
            END
            gcc tool.c -Wl,--no-as-needed -o tool -lglfw -lass
            "$PACKAGING/../package-deb" "$PWD/packages" "--library=$PWD/library.so" \
                "--tool=$PWD/tool"
            mkdir all unpacked control
            for package in packages/*.deb; do
                dpkg-deb -x "$package" all
                dpkg-deb -x "$package" "unpacked/$(dpkg-deb -f "$package" Package)"
                dpkg-deb -e "$package" "control/$(dpkg-deb -f "$package" Package)"
            done
            """,
            environment: ["PLAYHEAD": Tool.path, "DPKG_DEB_COMPRESSOR_TYPE": "none"])
    }

    @Test(
        .enabled(if: isDebian, "needs Debian's dpkg"),
        .enabled(if: ProcessRunner.has("gcc"), "needs gcc"))
    func `make deb makes packages of the library, its header and the player`() throws {
        try makeDebianPackages()
        let files = try bash("cd unpacked; find . ! -type d | sort").split(separator: "\n")
        let expected: [Substring] = [
            "./libplayhead-dev/usr/include/playhead.h",
            "./libplayhead-dev/usr/lib/cmake/playhead/playheadConfig.cmake",
            "./libplayhead-dev/usr/lib/libplayhead.so",
            "./libplayhead-dev/usr/lib/pkgconfig/playhead.pc",
            "./libplayhead1/usr/lib/libplayhead.so.1",
            "./libplayhead1/usr/share/doc/libplayhead1/copyright",
            "./playhead/usr/bin/playhead",
            "./playhead/usr/share/applications/playhead.desktop",
            "./playhead/usr/share/bash-completion/completions/playhead",
            "./playhead/usr/share/doc/playhead/changelog.gz",
            "./playhead/usr/share/fish/vendor_completions.d/playhead.fish",
            "./playhead/usr/share/icons/hicolor/scalable/apps/playhead.svg",
            "./playhead/usr/share/man/man1/playhead.1.gz",
            "./playhead/usr/share/metainfo/playhead.metainfo.xml",
            "./playhead/usr/share/zsh/vendor-completions/_playhead",
        ]
        for file in expected { #expect(files.contains(file)) }

        let version = try Self.version.get()
        func field(_ name: String, of package: String) throws -> String {
            let name = try bash("sed -n 's/^\(name): //p' control/\(package)/control")
            return name.trimmingSuffix { $0.isNewline }
        }
        #expect(try field("Version", of: "playhead") == version)
        #expect(try field("Version", of: "libplayhead1") == "1.\(version)")
        #expect(try field("Depends", of: "libplayhead-dev") == "libplayhead1 (= 1.\(version))")
        #expect(try field("Depends", of: "libplayhead1").contains(#/libavcodec\d+.*, libc6 \(>= /#))
        let depends = try field("Depends", of: "playhead")
        for package in ["libglfw3", "libass9", "libegl1", "libc6 (>= 2."] {
            #expect(depends.contains(package), "\(depends)")
        }
        // Sums, owners and modes.
        _ = try bash(
            """
            for package in control/*; do
                (cd "unpacked/${package##*/}" && md5sum --quiet -c "../../$package/md5sums")
                dpkg-deb -c packages/"${package##*/}"_*.deb | awk '
                    $2 != "root/root" || $1 ~ /^-.......w|^-....w/ { print; exit 1 }'
            done
            """)
        // apropos(1) finds the manual by this line.
        let manual = try bash("gunzip -c all/usr/share/man/man1/playhead.1.gz")
        #expect(manual.contains(#/\.SH NAME\nplayhead \\- \w/#))
    }

    @Test(
        .enabled(if: isDebian, "needs Debian's dpkg"),
        .enabled(if: ProcessRunner.has("gcc"), "needs gcc"))
    func `a file that no package has is refused by name`() throws {
        _ = try bash(
            """
            echo 'int other(void) { return 0; }' >other.c
            gcc -shared -fPIC other.c -o libother.so
            gcc -shared -fPIC -Wl,--no-as-needed other.c -o library.so -L. -lother
            """)
        let result = try ProcessRunner.run(
            [
                Checkout.root.appending(path: "Scripts/package-deb").path,
                folder.appending("packages").path, "--library=\(folder.url.path)/library.so",
                "--tool=/bin/true",
            ])
        #expect(result.status == 1)
        #expect(result.standardError.contains("no package has libother.so, which "))
    }

    // MARK: All of them

    @Test(
        .enabled(if: ProcessRunner.has("desktop-file-validate"), "needs desktop-file-utils"),
        .enabled(if: ProcessRunner.has("appstreamcli"), "needs appstream"))
    func `the desktop file and the metadata for software centers are valid`() throws {
        for (document, name) in [("desktop", "playhead.desktop"), ("metainfo", "a.metainfo.xml")] {
            try Data(try Tool.run("documents", document).standardOutput)
                .write(to: folder.appending(name))
        }
        #expect(try bash("desktop-file-validate playhead.desktop") == "")
        _ = try bash("appstreamcli validate --no-net a.metainfo.xml")
    }

    @Test(arguments: [("fedora", "playhead.spec"), ("arch", "PKGBUILD")])
    func `descriptions name every package that the installer installs`(
        system: String, file: String
    ) throws {
        try Data("ID=\(system)\n".utf8).write(to: folder.appending("os-release"))
        let list = try bash(
            #"OS_RELEASE=$PWD/os-release "$PACKAGING/../install-dependencies" --list"#)
        let names = list.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(names.count > 20)
        let words = Set(
            try description(file).split { $0.isWhitespace || $0 == "'" || $0 == "(" || $0 == ")" })
        let lines = Set(try description(file).split(whereSeparator: \.isWhitespace))
        for name in names {
            #expect(
                words.contains(name) || lines.contains(name) || words.contains(name + ":"),
                "\(file) does not name \(name)")
        }
    }

    @Test func `descriptions have the version of the program`() throws {
        let version = try Self.version.get()
        #expect(try description("playhead.spec").contains("\nVersion:        \(version)\n"))
        #expect(try description("PKGBUILD").contains("\npkgver=\(version)\n"))
    }

    // MARK: Fedora

    @Test(.enabled(if: ProcessRunner.has("rpmspec"), "needs rpm"))
    func `the spec describes three packages`() throws {
        let names = try bash(#"rpmspec -q --qf '%{NAME} %{LICENSE}\n' "$PACKAGING/playhead.spec""#)
        #expect(
            names == "playhead Apache-2.0\nlibplayhead Apache-2.0\nlibplayhead-devel Apache-2.0\n")
    }

    @Test(.enabled(if: ProcessRunner.has("rpmlint"), "needs rpmlint"))
    func `rpmlint has no complaint`() throws {
        let report = try bash(
            #"rpmlint -r "$PACKAGING/playhead.rpmlintrc" "$PACKAGING/playhead.spec" 2>&1"#)
        #expect(report.contains(" 0 errors, 0 warnings"), "\(report)")
    }

    // MARK: Arch

    /// Runs a PKGBUILD as makepkg does, with scripts that record how they are called and install a
    /// file.
    @Test func `PKGBUILD builds and installs by the scripts of the repository`() throws {
        let calls = try bash(
            #"""
            mkdir -p source/playhead-0/Scripts
            cd source/playhead-0
            touch NOTICE
            for script in build install install-player; do
                cat >"Scripts/$script" <<'END'
            #!/usr/bin/env bash
            echo "${0#Scripts/} $*" | sed "s|DESTDIR=$ROOT/|DESTDIR=|"
            for argument; do
                [[ $argument == DESTDIR=* ]] || continue
                mkdir -p "${argument#DESTDIR=}/usr/share/doc/libplayhead1"
            done
            END
            done
            chmod +x Scripts/*
            cd ../..
            export ROOT=$PWD
            set +u
            source "$PACKAGING/PKGBUILD"
            set -u
            pkgver=0
            run() (
                cd source
                pkgdir=$ROOT/$1
                "${@:2}"
            )
            run none build
            for name in "${pkgname[@]}"; do run "$name" "package_$name"; done
            find playhead libplayhead -type f
            """#)
        #expect(
            calls == """
                install --build
                build -c release --product playhead
                install-player TOOL=.build/release/playhead PREFIX=/usr DESTDIR=playhead
                install --library=.build/install/libplayhead.so PREFIX=/usr DESTDIR=libplayhead
                playhead/usr/share/licenses/playhead/NOTICE
                libplayhead/usr/share/licenses/libplayhead/NOTICE

                """)
    }

    /// Makepkg refuses to run as root, and where there is no Pacman.
    @Test(
        .enabled(if: ProcessRunner.has("makepkg"), "needs makepkg"),
        .enabled(if: ProcessRunner.has("setpriv"), "needs setpriv"))
    func `makepkg reads the PKGBUILD`() throws {
        let text = try bash(
            """
            stage=$(mktemp -d /tmp/playhead-makepkg-XXXXXX)
            trap 'rm -rf "$stage"' EXIT
            mkdir "$stage/bin"
            ln -s /bin/false "$stage/bin/pacman"
            cp "$PACKAGING/PKGBUILD" "$stage"
            chmod 777 "$stage"
            cd "$stage"
            user=()
            if ((EUID == 0)); then user=(setpriv --reuid 65534 --clear-groups); fi
            PATH=$stage/bin:$PATH ${user[@]+"${user[@]}"} makepkg --printsrcinfo
            """)
        #expect(text.hasPrefix("pkgbase = playhead\n"))
        #expect(text.contains("\npkgname = playhead\n"))
        #expect(text.contains("\npkgname = libplayhead\n"))
    }

    // MARK: Flatpak

    @Test(.enabled(if: ProcessRunner.has("flatpak-builder"), "needs flatpak-builder"))
    func `flatpak-builder reads the manifest`() throws {
        let text = try bash(
            #"flatpak-builder --show-manifest "$PACKAGING/org.playhead.Playhead.yml""#)
        #expect(text.contains(#""id" : "org.playhead.Playhead""#))
        #expect(text.contains(#""Scripts/install-player PREFIX=/app""#))
        // The name is that in the metadata.
        #expect(
            try Tool.run("documents", "metainfo").text.contains("<id>org.playhead.Playhead</id>"))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ isRemoved: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isRemoved(last) { text.removeLast() }
        return text
    }
}
