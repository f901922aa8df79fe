"""Certificates for the nodes of a cluster, signed by an authority that the tests make."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NAMES = ("tls-ca", "tls-cert", "tls-key")
Files = dict[str, Path]
"""Files by the keys of the settings."""


def certify(folder: Path) -> Files:
    """Write the certificate of a new authority, and a certificate signed by it with its key."""
    folder.mkdir()
    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    files = {name: folder / f"{name}.pem" for name in NAMES}
    files["tls-ca"].write_bytes(_signed("authority", authority, authority))
    files["tls-cert"].write_bytes(_signed("node", own, authority))
    files["tls-key"].write_bytes(
        own.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def _signed(
    name: str, key: ec.EllipticCurvePrivateKey, authority: ec.EllipticCurvePrivateKey
) -> bytes:
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name("authority"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=key is authority, path_length=None), critical=True)
        .sign(authority, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def settings(files: Files) -> str:
    """Return the table of the settings file that names certificates."""
    return "[cluster]\n" + "".join(f'{name} = "{path}"\n' for name, path in files.items())
